"""The screen room."""
