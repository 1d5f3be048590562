"""What the pages of the site hold, as plain data: the templates only lay it out."""
