"""What the schema does not accept, in plain words and at its place."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from yaml.nodes import Node, ScalarNode

from eqtrace.spec import scalar
from eqtrace.spec.compose import STR
from eqtrace.spec.document import Document, Entries, Items, Place

MAX_MISTAKES = 500  # of one file, one by one
Loc = tuple[int | str, ...]

_WORDS = {
    "string_type": "a text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def report(error: ValidationError, document: Document, place: Place, model: type[BaseModel]) -> tuple[Loc, ...]:
    """Adds a fault for each of the errors of one model at `place`, and gives their places in the data."""
    errors = _nearest_branches(error)
    for item in errors[:MAX_MISTAKES]:
        _Mistake(document, place, model, item["type"], item["loc"], item.get("ctx", {})).report()
    _rest(document, place, len(errors))
    return tuple(item["loc"] for item in errors)


def report_each(error: ValidationError, document: Document, place: Place, model: type[BaseModel]) -> tuple[Loc, ...]:
    """The same for a list, or a mapping, of models."""
    errors = _nearest_branches(error)
    for item in errors[:MAX_MISTAKES]:
        inner, depth = _walk(place, item["loc"][:1])
        loc = item["loc"][depth:]
        name = "" if loc or isinstance(item["loc"][0], int) else item["loc"][0]
        _Mistake(document, inner, model, item["type"], loc, item.get("ctx", {}), name).report()
    _rest(document, place, len(errors))
    return tuple(item["loc"] for item in errors)


def _nearest_branches(error: ValidationError) -> list[dict[str, Any]]:
    """The errors; where a value may be one of several types, those of the type that it is nearest to."""
    plain: list[dict[str, Any]] = []
    branches: dict[Loc, dict[str, list[dict[str, Any]]]] = {}
    for item in error.errors(include_url=False, include_input=False):
        loc = item["loc"]
        # The first part is a key or an index; after it, names of types stand among them.
        tag = next((depth for depth, part in enumerate(loc) if depth and isinstance(part, str) and "[" in part), None)
        if tag is None:
            plain.append(dict(item))
        else:
            found = branches.setdefault(loc[:tag], {}).setdefault(str(loc[tag]), [])
            found.append({**item, "loc": loc[:tag] + loc[tag + 1 :]})
    return plain + [each for found in branches.values() for each in min(found.values(), key=len)]


def _rest(document: Document, place: Place, count: int) -> None:
    if count > MAX_MISTAKES:
        document.fault("schema", place, f"{count - MAX_MISTAKES} more things here are not accepted")


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word, or them all where none is near."""
    choices = [choice for choice in known if choice]
    near = difflib.get_close_matches(word, choices, 1) if len(word) < 200 else []
    if near:
        return f"did you mean `{near[0]}`?"
    shown = ", ".join(f"`{choice}`" for choice in choices[:40])
    return f"known are {shown}" if choices else ""


def kind(place: Place) -> str:
    """What stands at a place, in words."""
    if isinstance(place, Entries):
        return "a mapping"
    if isinstance(place, Items):
        return "a list"
    if place.tag == STR:
        return "a text" if place.value else "an empty text"
    if not place.value:
        return "nothing"
    return scalar.reading(place)


class _Mistake:
    """One of pydantic's errors."""

    def __init__(
        self,
        document: Document,
        place: Place,
        model: type[BaseModel],
        type_: str,
        loc: Loc,
        context: dict[str, Any],
        name: str = "",
    ) -> None:
        self.document = document
        self.type = type_
        self.loc = loc
        self.context = context
        self.model = _model_at(model, loc[:-1])
        self.place, self.depth = _walk(place, loc[:-1] if type_ == "extra_forbidden" else loc)
        names = [part for part in loc if isinstance(part, str)]
        self.name = names[-1] if names else name

    def report(self) -> None:
        if self.type == "extra_forbidden":
            self._unknown_key()
        elif self.type == "missing":
            self.document.fault("schema", self.place, f"the key `{self.name}` is missing", self._describe())
        elif self.type == "literal_error":
            self._choice()
        elif self.type == "wanted":
            self._wanted(self.context["words"], self.context["text"], self.context["number"])
        elif self.type in _WORDS:
            words = _WORDS[self.type]
            self._wanted(words, words == "a text", words.endswith("number"))
        else:
            self._bound()

    def _unknown_key(self) -> None:
        key = self._key()
        if self.model is None:
            return
        hint = nearest(self.name, _keys(self.model))
        self.document.fault("schema", key, f"the key `{self.name}` is not known here", hint)

    def _key(self) -> Place | Node:
        if isinstance(self.place, Entries) and self.depth == len(self.loc) - 1:
            return self.place.keys.get(str(self.loc[-1]), self.place.node)
        return self.place

    def _describe(self) -> str:
        if self.model is None:
            return ""
        for field, info in self.model.model_fields.items():
            if (info.alias or field) == self.name:
                return f"{self.name}: {info.description}" if info.description else ""
        return ""

    def _choice(self) -> None:
        choices = [part.strip("'") for part in self.context["expected"].replace(" or ", ", ").split(", ")]
        place = self.place
        if isinstance(place, ScalarNode) and place.tag == STR:
            message = f"`{self.name}` can't be `{place.value}`"
            self.document.fault("schema", place, message, f"{nearest(place.value, choices)}".strip())
        else:
            self._wanted(f"one of {', '.join(choices)}", True, False)

    def _wanted(self, words: str, text: bool, number: bool) -> None:
        place = _culprit(self.place, number and not text)
        if isinstance(place, ScalarNode) and self._trap(place, words, text, number):
            return
        subject = f"`{self.name}`: " if self.name else ""
        self.document.fault("schema", place, f"{subject}{words} is wanted, not {kind(place)}", self._describe())

    def _trap(self, node: ScalarNode, words: str, text: bool, number: bool) -> bool:
        """Whether YAML reads a plain scalar as another type than its author will have meant."""
        if node.style or not node.value:
            return False
        reading = scalar.reading(node)
        subject = f"`{self.name}`: `{node.value}`" if self.name else f"`{node.value}`"
        if reading and text:
            rewrite = scalar.number_rewrite(node) if number else ""
            hint = f"write {rewrite}" if rewrite else f"put it in quotes: '{node.value}'"
            self.document.fault("yaml-type", node, f"{subject} is read as {reading}, but {words} is wanted", hint)
            return True
        misread = isinstance(scalar.value(node), scalar.Misread)
        if number and (misread or (node.tag == STR and scalar.looks_numeric(node.value))):
            rewrite = scalar.number_rewrite(node)
            hint = f"write {rewrite}" if rewrite else ""
            what = reading or "a text (YAML 1.1 wants a dot, and a sign in the exponent)"
            self.document.fault("yaml-type", node, f"{subject} is read as {what}, but {words} is wanted", hint)
            return True
        return False

    def _bound(self) -> None:
        context = self.context
        messages: dict[str, Callable[[], str]] = {
            "greater_than_equal": lambda: f"a number of at least {context['ge']} is wanted",
            "less_than_equal": lambda: f"a number of at most {context['le']} is wanted",
            "too_short": lambda: f"at least {context['min_length']} of them are wanted",
            "recursion_loop": lambda: "the value contains itself",
        }
        words = messages.get(self.type, lambda: "the value is not accepted")()
        self.document.fault("schema", self.place, f"`{self.name}`: {words}", self._describe())


def _walk(place: Place, loc: Loc) -> tuple[Place, int]:
    """The innermost place on the way, and how many steps lead there; tags of unions are no steps."""
    for depth, part in enumerate(loc):
        if isinstance(place, Entries) and part in place.values:
            place = place.values[str(part)]
        elif isinstance(place, Items) and isinstance(part, int) and part < len(place.items):
            place = place.items[part]
        else:
            return place, depth
    return place, len(loc)


def _culprit(place: Place, numeric: bool) -> Place:
    """Within a list or a mapping that fails as a whole, the first scalar that is misread, no text, or no number."""

    def misread(node: ScalarNode) -> bool:
        return isinstance(scalar.value(node), scalar.Misread)

    def unusual(node: ScalarNode) -> bool:
        return isinstance(scalar.value(node), bool | None) or (numeric and node.tag == STR)

    return _first(place, misread) or _first(place, unusual) or place


def _first(place: Place, wrong: Callable[[ScalarNode], bool]) -> ScalarNode | None:
    if isinstance(place, ScalarNode):
        return place if wrong(place) else None
    parts = place.items if isinstance(place, Items) else place.values.values()
    return next((found for part in parts if (found := _first(part, wrong)) is not None), None)


def misread_numbers(document: Document, place: Place | None) -> None:
    """Adds a fault for each text among values that looks like a number, where texts may stand too."""
    if isinstance(place, ScalarNode):
        if not place.style and place.tag == STR and scalar.looks_numeric(place.value):
            rewrite = scalar.number_rewrite(place)
            message = f"`{place.value}` is read as a text (YAML 1.1 wants a dot, and a sign in the exponent)"
            document.fault("yaml-type", place, message, f"write {rewrite}, or put it in quotes if text is meant")
    elif place is not None:
        for part in place.items if isinstance(place, Items) else place.values.values():
            misread_numbers(document, part)


@cache
def _fields(model: type[BaseModel]) -> dict[str, tuple[type[BaseModel] | None, int]]:
    """Each key's model, and how many keys or indices lie between."""
    return {info.alias or name: _inner(info.annotation, 0) for name, info in model.model_fields.items()}


def _keys(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(_fields(model))


def _inner(annotation: Any, depth: int) -> tuple[type[BaseModel] | None, int]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, depth
    inside = depth + 1 if getattr(annotation, "__origin__", None) in (list, dict) else depth
    for argument in get_args(annotation):
        found = _inner(argument, inside)
        if found[0] is not None:
            return found
    return None, 0


def _model_at(model: type[BaseModel] | None, loc: Loc) -> type[BaseModel] | None:
    """The model that the mapping at `loc` is an instance of."""
    skip = 0
    for part in loc:
        if skip or model is None:
            skip = max(0, skip - 1)
            continue
        model, skip = _fields(model).get(str(part), (None, 0))
    return model
