"""Settings of the whole test suite."""

from hypothesis import settings

# The same examples on every run and no stop-watch: a red build is a change in the code.
settings.register_profile("nstar", derandomize=True, deadline=None)
# New examples each time, for a search by hand: pytest --hypothesis-profile=search tests/laws
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile("nstar")
