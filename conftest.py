"""Modules that need an extra have no doctests to collect where it is not installed."""

from importlib.util import find_spec

_RAY = [f"src/nstar/_engine/work/{name}.py" for name in ("ray", "cluster", "connect")]

collect_ignore = [] if find_spec("ray") else _RAY
