"""Telling real from generated: what passes for real, who can tell, and who knows it."""
