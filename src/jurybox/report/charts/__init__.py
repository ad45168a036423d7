"""Charts: what is drawn of a table, and how it looks as SVG."""
