"""All pairs at once, and who does the work."""
