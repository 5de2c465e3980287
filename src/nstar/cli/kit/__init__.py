"""Common parts of commands: options, input, and output."""
