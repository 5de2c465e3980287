"""nstar inside other programs; each module needs the program it is named after."""

__all__: list[str] = []
