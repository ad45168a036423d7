"""Synthetic raters with known truth: they feed the demo, power by simulation, and tests.

Nothing is imported here: the processes that count power never open a store, and would read it.
"""
