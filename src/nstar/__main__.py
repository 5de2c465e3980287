"""``nstar`` and ``python -m nstar``: Ctrl-C is answered while the program still loads."""

import gc
import sys

_OBJECTS = 50_000
"""Objects that are made before Python looks for those in circles, for modules make many."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(_OBJECTS)
    try:
        from nstar.cli import main as program  # noqa: PLC0415 takes a while

        program()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        gc.freeze()  # or Python would look through all objects before it ends


if __name__ == "__main__":
    main()
