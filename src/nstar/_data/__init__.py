"""Data: tables of rows, alignment to matrices, packed files, exports, and findings."""
