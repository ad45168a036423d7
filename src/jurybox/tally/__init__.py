"""Responses, wherever they are, reduced to the counts and cluster sums that statistics need."""
