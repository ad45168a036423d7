"""The page in each format, and what screen and paper ask of it."""
