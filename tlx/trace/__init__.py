"""A picture of what the warp groups and engines of one CTA do at once, from the simulator and a table of costs.

`with tlx.trace.tracing() as trace: kernel[grid](...)`, then `trace.save("x.json")`; `tlx trace` is the command.
"""

from .api import Trace, tracing
from .costs import Costs
from .errors import MatplotlibMissing, NothingTraced, UnknownFormat
from .timeline import Arrow, Lane, Span, Timeline

__all__ = [
    "Arrow",
    "Costs",
    "Lane",
    "MatplotlibMissing",
    "NothingTraced",
    "Span",
    "Timeline",
    "Trace",
    "UnknownFormat",
    "tracing",
]
