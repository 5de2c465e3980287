"""Convert data of any kind to matrices, for functions and commands alike.

Arrays pair by position, and Series by their index. Everything else pairs by item: frames, mappings
of columns, records, tables, and logs.
"""
