"""What commands share: options, reading, printing."""
