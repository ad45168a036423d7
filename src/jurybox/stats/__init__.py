"""Numbers only: counts and per-cluster sums in, typed results out."""
