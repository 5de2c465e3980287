"""One folder for each question that nstar answers."""
