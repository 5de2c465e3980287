"""``nstar --version``: the version, and what a bug report needs; nothing is imported for it."""

import click

_NEEDED = (*("numpy", "scipy", "pyarrow", "msgspec", "click", "rich", "numkong", "threadpoolctl"),)
_EXTRAS = {
    "hub": ("fsspec", "huggingface_hub", "s3fs"),
    "pdf": ("cairosvg",),
    "ray": ("ray",),
}


def _versions(names: tuple[str, ...]) -> str:
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} –")
    return ", ".join(found)


def _rows() -> list[tuple[str, str]]:
    import platform

    missing = _versions(("numkong",)).endswith("–")
    return [
        ("Python", f"{platform.python_version()} {platform.python_implementation()}"),
        ("system", platform.platform()),
        ("needs", _versions(_NEEDED)),
        ("engine", "numpy" if missing else "NumKong if this processor suits it, else numpy"),
        *((f"nstar[{extra}]", _versions(names)) for extra, names in _EXTRAS.items()),
    ]


def _print(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001, FBT001
    if not value or ctx.resilient_parsing:
        return
    from nstar._base.version import __version__
    from nstar.cli.kit.output import write_text

    lines = [f"nstar, version {__version__}", *(f"  {k:<11} {v}" for k, v in _rows())]
    write_text("".join(f"{line}\n" for line in lines))
    ctx.exit()


version_option = click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print,
    help="Show the version and what it runs on, for bug reports.",
)
"""``--version``."""
