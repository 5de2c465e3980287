"""Names of the columns of an audit in its page."""

ATTRIBUTES = {
    "n": "n_items",
    "delta": "gap",
    "p": "pvalue",
    "p_adjusted": "pvalue_adjusted",
    "p_equivalent": "pvalue_equivalent",
    "q_delta0": "q_at_delta",
}
"""Columns of an audit that have shorter names in a page."""
