"""LLM judges: models that rate the same trials as people, by the same rubric."""
