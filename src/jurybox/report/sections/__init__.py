"""The sections of a report: which blocks stand in each, in which order."""
