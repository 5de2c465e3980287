"""What a Python user calls: one function per verb, in words that are the command's options.

A function here takes data of any kind and plain keywords, brings the data into matrices
(:mod:`nstar._api.inputs`), makes the verb's typed question of the keywords, and asks the verb.
"""
