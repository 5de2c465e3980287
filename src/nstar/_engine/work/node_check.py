"""Check that all machines run the same versions, because results could differ otherwise.

Different kinds of processors are reported, but accepted.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np

from nstar._base.version import __version__
from nstar.errors import ClusterError


class ResultVersions(NamedTuple):
    """Versions that affect results. They are sent with every job."""

    nstar: str
    numpy: str


class NodeSoftware(NamedTuple):
    """Software and processor of a machine."""

    nstar: str
    """Version of nstar, or the name of the missing package."""
    numpy: str
    machine: str
    """Kind of processor, such as x86_64."""
    features: tuple[str, ...]
    """Instruction sets that NumPy uses, such as AVX-512."""


def versions_here() -> ResultVersions:
    """Return the versions in this process."""
    return ResultVersions(__version__, np.__version__)


def node_probe() -> Callable[[], tuple[str, str, str, tuple[str, ...]]]:
    """Return a function that inspects a machine, and does not require nstar there."""

    def installed() -> tuple[str, str, str, tuple[str, ...]]:
        import platform  # noqa: PLC0415
        from importlib import import_module  # noqa: PLC0415

        try:
            import numpy  # noqa: PLC0415, ICN001

            core = import_module("numpy._core._multiarray_umath")  # not reported anywhere else

            from nstar._base.version import __version__  # noqa: PLC0415
        except ImportError as error:
            return f"no {error.name}", "", platform.machine(), ()
        can = getattr(core, "__cpu_features__", {})
        all_features = (
            *getattr(core, "__cpu_baseline__", ()),
            *getattr(core, "__cpu_dispatch__", ()),
        )
        features = tuple(name for name in all_features if can.get(name))
        return __version__, numpy.__version__, platform.machine(), features

    return installed


def installed_here() -> NodeSoftware:
    """Return the installed versions of this process.

    >>> installed_here().numpy == np.__version__
    True
    """
    return NodeSoftware(*node_probe()())


def check_same_versions(actual: ResultVersions, expected: ResultVersions, node: str) -> None:
    """Raise ClusterError if the versions of a node differ from those of the calling process.

    >>> check_same_versions(
    ...     ResultVersions("no nstar", ""), ResultVersions("1.0", "2.4"), "10.0.0.3"
    ... )  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nstar.errors.ClusterError: Node 10.0.0.3 has no nstar, ...
    """
    if actual == expected:
        return
    actual_text = (
        f"nstar {actual.nstar} and numpy {actual.numpy}" if actual.numpy else actual.nstar
    )
    msg = (
        f"Node {node} has {actual_text}, but this process has nstar {expected.nstar} and numpy "
        f"{expected.numpy}, so results could differ between nodes. Install the same versions on "
        "all nodes."
    )
    raise ClusterError(msg)


def processor_kinds(machines: Collection[NodeSoftware]) -> list[str]:
    """Return the kinds of processors, with the features that not all of them have.

    >>> new = NodeSoftware("1.0", "2.4", "x86_64", ("AVX2", "AVX512_SKX"))
    >>> processor_kinds([new, new._replace(features=("AVX2",)), new])
    ['x86_64 with AVX512_SKX', 'x86_64 without']
    """
    common = set[str].intersection(*(set(m.features) for m in machines))
    beyond = {(m.machine, tuple(f for f in m.features if f not in common)) for m in machines}
    return sorted(
        f"{machine} with {', '.join(features)}" if features else f"{machine} without"
        for machine, features in beyond
    )
