"""Common parts of all layers: types, checks, addresses, results."""
