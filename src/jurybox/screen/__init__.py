"""The picture of a trial: one HTML fragment per trial, sanitized; media probed and cleaned."""
