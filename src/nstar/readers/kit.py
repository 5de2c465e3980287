"""Public building blocks for readers. The other modules of this package may change at any time.

>>> from nstar.readers.kit import item_name
>>> item_name(7)
'7'
"""

from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import begins, first_of
from nstar.readers._files import Place
from nstar.readers._json import json_lines
from nstar.readers._values import ScoreCheck, item_name, text, unfit, whole_number

__all__ = [
    "Journal",
    "Place",
    "Role",
    "Rows",
    "ScoreCheck",
    "Unit",
    "begins",
    "content_key",
    "first_of",
    "item_name",
    "json_lines",
    "text",
    "unfit",
    "whole_number",
]
