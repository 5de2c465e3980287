"""The modules here are read by the harnesses, which the test suite does not install."""

collect_ignore_glob = ["*.py"]
