"""From YAML to the model: every fault of a specification is seen here, with its place."""
