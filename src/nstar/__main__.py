"""``nstar`` and ``python -m nstar``: Ctrl-C is answered while the program still loads."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from nstar.cli import main as program  # noqa: PLC0415 takes a while

        program()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
