"""eqtrace: shows that documented equations are what the code computes, line by line.

The names in `__all__` are the public ones; each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eqtrace import strategies as strategies
    from eqtrace.auditing import audit as audit
    from eqtrace.config import Config as Config
    from eqtrace.config import load as load_config
    from eqtrace.errors import EqtraceError as EqtraceError
    from eqtrace.model.finding import Finding as Finding
    from eqtrace.model.finding import Severity as Severity
    from eqtrace.model.results import Results as Results
    from eqtrace.model.topic import Specification as Specification
    from eqtrace.model.verdict import MethodResult as MethodResult
    from eqtrace.model.verdict import Verdict as Verdict
    from eqtrace.runner import verify as verify
    from eqtrace.spec.load import load as load
    from eqtrace.stating import states as states
    from eqtrace.strategies import equation as equation

__version__ = "0.1.0"

__all__ = [
    "Config",
    "EqtraceError",
    "Finding",
    "MethodResult",
    "Results",
    "Severity",
    "Specification",
    "Verdict",
    "__version__",
    "audit",
    "equation",
    "load",
    "load_config",
    "states",
    "strategies",
    "verify",
]

_PLACES = {
    "Config": ("config", "Config"),
    "EqtraceError": ("errors", "EqtraceError"),
    "Finding": ("model.finding", "Finding"),
    "MethodResult": ("model.verdict", "MethodResult"),
    "Results": ("model.results", "Results"),
    "Severity": ("model.finding", "Severity"),
    "Specification": ("model.topic", "Specification"),
    "Verdict": ("model.verdict", "Verdict"),
    "audit": ("auditing", "audit"),
    "equation": ("strategies", "equation"),
    "load": ("spec.load", "load"),
    "load_config": ("config", "load"),
    "states": ("stating", "states"),
    "strategies": ("strategies", ""),
    "verify": ("runner", "verify"),
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'eqtrace' has no attribute '{name}'")
    module, attribute = _PLACES[name]
    found = import_module(f"eqtrace.{module}")
    return getattr(found, attribute) if attribute else found


def __dir__() -> list[str]:
    return sorted(__all__)
