"""Common parts of commands: options, reading, output."""
