"""How many are needed: power and width by formula, before there are data.

A formula counts independent answers, or a crossed design whose variances are known; what it misses
(ties, several systems with correction, the analysis itself) is left to simulation.
"""
