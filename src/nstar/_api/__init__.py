"""Public Python functions, one for each command.

Each function accepts data of any kind and plain keywords. It converts the data to matrices
(:mod:`nstar._api.inputs`), builds the typed question of its analysis from the keywords, and calls
the analysis in :mod:`nstar._verbs`.
"""
