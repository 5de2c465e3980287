"""From rows to matrices, and files: tables, alignment, packs, findings."""
