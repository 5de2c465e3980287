"""Where else a result is found, in the words of whoever reads: methods, or options."""

from nstar.errors import worded

JSON = worded(python="to_json()", command="--format json")
CSV = worded(python="to_frame()", command="--format csv")
