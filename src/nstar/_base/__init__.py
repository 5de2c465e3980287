"""What every floor may use: types, checks, addresses, results."""
