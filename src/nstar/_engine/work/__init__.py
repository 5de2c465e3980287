"""Workers: threads, a Ray cluster, or any executor, all with the same results."""

from nstar._engine.work.execution import Execution, Progress, Where, check_executor, open_workers
from nstar._engine.work.reduction import reduce_in_order
from nstar._engine.work.retry import one_thread
from nstar._engine.work.tile_cache import TileCache, memory_budget
from nstar._engine.work.worker_pool import ThreadWorkers, WorkerPool

__all__ = [
    "Execution",
    "Progress",
    "ThreadWorkers",
    "TileCache",
    "Where",
    "WorkerPool",
    "check_executor",
    "memory_budget",
    "one_thread",
    "open_workers",
    "reduce_in_order",
]
