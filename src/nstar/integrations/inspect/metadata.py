"""What a log keeps of the comparison: ``results.early_stopping.metadata``."""

import json
from collections.abc import Iterator
from typing import Any

from nstar.integrations.inspect.run import WatchedRun

__all__ = ["metadata"]


def metadata(run: WatchedRun) -> dict[str, Any]:
    """Decision and evidence in the schema ``nstar.watched/1``, and what was run."""
    told: dict[str, Any] = json.loads(run.watch.result.to_json())
    told.pop("moments")
    line = run.line
    stop = run.stop if line.stopped else None
    return told | {
        "notes": [*told["notes"], *_notes(run)],
        "stopped_for": None if stop is None else stop.state,
        "stopped_at": None if stop is None else stop.n,
        "watch_failed": run.failure,
        "baseline": run.baseline.path,
        "baseline_without_score": _unmatched(run),
        "metric": run.baseline.metric,
        "samples_scheduled": len(line.scheduled),
        "samples_not_run": len(line.stopped),
        "samples_reused": line.reused,
        "samples_without_score": line.without_score,
    }


def _unmatched(run: WatchedRun) -> int:
    """Samples that the baseline has no score for."""
    return sum(item not in run.baseline.scores for item in run.line.items)


def _notes(run: WatchedRun) -> Iterator[str]:
    """What the watch itself cannot know."""
    line, unmatched = run.line, _unmatched(run)
    if unmatched:
        yield (
            f"{unmatched:,} of {len(line.items):,} samples have no score in the baseline and are "
            "left out; if that has to do with the answers, the gap is biased."
        )
    if line.epochs > 1 and line.without_score:
        yield (
            f"{line.without_score:,} runs of a sample have no score; its other epochs count. If "
            "failures to score have to do with the answers, the gap is biased."
        )
    if line.epochs > 1 and line.stopped:
        planned = len(line.items) * line.epochs
        yield (
            f"Of {planned:,} runs ({len(line.items):,} samples, {line.epochs} epochs) "
            f"{len(line.stopped):,} were not scheduled. A sample counts with all its epochs only."
        )
    if line.stopped:
        yield (
            "Inspect's own means are over the samples that ran. A run that stops because of its "
            "scores tends to overstate the gap; the sequence allows for that."
        )
