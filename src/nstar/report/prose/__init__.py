"""What is said about each result: one module or folder per result."""
