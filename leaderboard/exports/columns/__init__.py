"""The published tables, each column described once: name, type, unit, meaning, constraint, getter."""

from .column import Bounds, Column, Deprecation, Reference, Table, Value
from .daily import DAILY
from .gpu_endpoints import GPU_ENDPOINTS
from .gpu_levels import GPU_LEVELS
from .gpu_samples import GPU_SAMPLES
from .leaderboard import LEADERBOARD
from .models import MODELS
from .offerings import OFFERINGS
from .prices import PRICES
from .providers import PROVIDERS
from .samples import SAMPLES
from .tombstones import TOMBSTONES

TABLES: tuple[Table, ...] = (
    PROVIDERS,
    MODELS,
    OFFERINGS,
    PRICES,
    SAMPLES,
    DAILY,
    LEADERBOARD,
    GPU_ENDPOINTS,
    GPU_LEVELS,
    GPU_SAMPLES,
    TOMBSTONES,
)
TABLE_BY_NAME: dict[str, Table] = {table.name: table for table in TABLES}

__all__ = [
    "DAILY",
    "GPU_ENDPOINTS",
    "GPU_LEVELS",
    "GPU_SAMPLES",
    "LEADERBOARD",
    "MODELS",
    "OFFERINGS",
    "PRICES",
    "PROVIDERS",
    "SAMPLES",
    "TABLES",
    "TABLE_BY_NAME",
    "TOMBSTONES",
    "Bounds",
    "Column",
    "Deprecation",
    "Reference",
    "Table",
    "Value",
]
