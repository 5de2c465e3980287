"""Integrations of nstar into other programs. Each module is named after its program."""

__all__: list[str] = []
