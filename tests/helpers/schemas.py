"""Validate results against JSON schemas."""

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

__all__ = ["validate"]


@cache
def _validator(text: str) -> Draft202012Validator:
    """Cached validator: checking the schema takes longer than validating a result."""
    schema = json.loads(text)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def validate(data: Any, schema: Any) -> None:
    """Raise an error if the schema is invalid or the data do not match the schema."""
    _validator(json.dumps(schema)).validate(data)
