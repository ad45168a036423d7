"""Automatic metrics: how far each follows people, and at which level."""
