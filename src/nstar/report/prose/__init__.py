"""Write the sentences of reports. Each result has a module or package."""
