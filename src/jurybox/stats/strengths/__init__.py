"""Strengths of systems that were compared or ranked: Bradley–Terry, Plackett–Luce and Elo."""
