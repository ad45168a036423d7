"""The ordinal mixed model: likelihood, fit, the terms that the data carry, and its result."""
