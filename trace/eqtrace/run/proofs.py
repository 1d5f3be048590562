"""Proofs that an earlier run kept: they rest on forms alone, so an edit of the code leaves them as they are."""

from __future__ import annotations

from typing import Any

from eqtrace.cache import Unreadable, checked
from eqtrace.formula.prove import Proof
from eqtrace.model.verdict import Verdict
from eqtrace.run.needs import KeptProof

_KINDS: dict[str, tuple[type, ...]] = {
    "detail": (str,),
    "size": (int,),
    "points": (int,),
    "counterexample": (str,),
    "part": (int,),
}
_TEXTS = ("assumptions", "limits")


def kept(proof: Proof, equations: frozenset[str]) -> KeptProof:
    """A proof to be kept. Its time is not part of it."""
    names = ("verdict", *_KINDS, *_TEXTS)
    return KeptProof({name: getattr(proof, name) for name in names} | {"verdict": proof.verdict.value}, equations)


def read(found: KeptProof) -> Proof:
    """The proof that JSON data stand for.

    Raises:
        Unreadable: they stand for none.
    """
    try:
        data = found.data
        parts: dict[str, Any] = {name: checked(data[name], _KINDS[name]) for name in _KINDS}
        parts |= {name: tuple(checked(each, (str,)) for each in data[name]) for name in _TEXTS}
        return Proof(Verdict(data["verdict"]), **parts)
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable from error
