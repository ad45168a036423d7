"""What stands beside the findings: the datasheet and the preregistration."""
