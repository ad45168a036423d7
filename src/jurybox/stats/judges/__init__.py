"""Judges beside people: how far they agree, where they depart, and what both say together."""
