"""Modules that need an extra have no doctests to collect where it is not installed."""

from importlib.util import find_spec

_RAY = [f"src/nstar/_engine/work/{name}.py" for name in ("ray", "cluster", "connect")]

collect_ignore = [] if find_spec("ray") else _RAY
if not find_spec("inspect_ai"):
    collect_ignore.append("src/nstar/integrations/inspect_hook.py")
