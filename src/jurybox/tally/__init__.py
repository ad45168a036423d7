"""The tally room."""
