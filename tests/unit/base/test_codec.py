"""Values from strangers are refused in words."""

import json

import pytest

import nstar
from nstar.errors import DataError


def test_a_number_beyond_every_float_is_refused_in_words() -> None:
    claim = nstar.claim(0.7, 0.6, items=100)
    data = json.loads(claim.to_json()) | {"t_min": 10**400}
    with pytest.raises(DataError, match=r"\$\.t_min: .* is not a number that fits in a float"):
        nstar.Claim.from_json(json.dumps(data))
