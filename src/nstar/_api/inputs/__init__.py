"""From whatever the user has to matrices: one adapter for every verb, and for the commands.

Arrays pair by position, Series by their index, everything else by its items: frames, mappings
of columns, records, tables, and the logs that paths lead to.
"""
