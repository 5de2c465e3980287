"""Plans: find the size of an evaluation before it is run."""
