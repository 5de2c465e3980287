"""Published or measured item correlations between models, for planning without data.

Published correlations are from 28 model pairs per benchmark in "Power Analysis for Pairwise Model
Comparisons on Reasoning Benchmarks" (clawRxiv 2604.01974), section 4. The sample-size table of
that paper is wrong by a factor of two, but these correlations are observations and are quoted as
reported. The correlation for MMLU-Pro is computed from public outputs by
``scripts/claim_check.py``. Your own logs are a better source.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TypicalRho:
    """Item correlation between two models on one benchmark."""

    name: str
    """Name of the benchmark."""
    mean: float
    """Mean over model pairs."""
    low: float
    """Lower quartile over model pairs."""
    high: float
    """Upper quartile over model pairs."""
    source: str = "reported in clawRxiv 2604.01974"
    """Source of the figures, for citation."""


TEST_SETS = {
    "MMLU-Pro": 12_032,
    "MMLU": 14_042,
    "GSM8K": 1_319,
    "BBH": 6_511,
    "ARC-Challenge": 1_172,
    "GPQA Diamond": 198,
    "HumanEval": 164,
}
"""Number of items in the published test set of a benchmark."""
BENCHMARKS = {
    "mmlu": TypicalRho(name="MMLU", mean=0.62, low=0.55, high=0.71),
    "math": TypicalRho(name="MATH", mean=0.41, low=0.31, high=0.55),
    "gsm8k": TypicalRho(name="GSM8K", mean=0.58, low=0.48, high=0.70),
    "arc": TypicalRho(name="ARC", mean=0.69, low=0.62, high=0.78),
    "bbh": TypicalRho(name="BBH", mean=0.49, low=0.38, high=0.59),
    "mmlu-pro": TypicalRho(
        name="MMLU-Pro",
        mean=0.36,
        low=0.32,
        high=0.40,
        source="measured, 378 pairs of 28 models on 12,002 items of TIGER-AI-Lab/MMLU-Pro",
    ),
}
"""Benchmarks by lower-case name."""

TYPICAL = TypicalRho(name="five reasoning benchmarks", mean=0.5, low=0.4, high=0.7)
"""Default range of correlations. The published means range from 0.41 to 0.69."""
