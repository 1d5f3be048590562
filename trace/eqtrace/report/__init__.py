"""Results turned into plain rows of data, then into text, JSON or HTML."""
