"""What a specification's files may hold: pydantic models at this boundary only, and the JSON Schema made from them.

Every description is what an editor shows where its user points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, TypeAdapter
from pydantic.json_schema import models_json_schema
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypeAliasType

from eqtrace.spec.samples import with_samples


@dataclass(frozen=True, slots=True)
class Wanted:
    """Words for a type, so that a union or a pattern that fails is one error that says what is wanted."""

    words: str
    text: bool = True
    number: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Replaces the errors of what it is put on."""
        context = {"words": self.words, "text": self.text, "number": self.number}
        return core_schema.custom_error_schema(
            handler(source), "wanted", custom_error_message="{words} is wanted", custom_error_context=context
        )


Expression = Annotated[str | int | float, Wanted("a number or an expression", number=True)]
Label = Annotated[str | int, Wanted("a text or a whole number")]
Number = Annotated[int | float, Wanted("a number", text=False, number=True)]
Amount = Annotated[float, Field(ge=0), Wanted("a number of at least 0", text=False, number=True)]
FullText = Annotated[str, Field(pattern=r"\S"), Wanted("a text that is not empty")]
Id = Annotated[
    str,
    Field(pattern=r"^[^\s/{}'\"<>&]+$"),
    Wanted("an id (letters, digits, `.`, `_`, `-`; no spaces, slashes or quotes)"),
]
Word = Annotated[
    str,
    Field(pattern=r"^([^0-9.+-]|$)"),
    Wanted("a word (that starts with no digit, dot or sign)"),
]
FunctionName = Annotated[
    str,
    Field(pattern=r"^[^\s:\\]+\.py::[^\s:/\\]+$"),
    Wanted("a function as 'path/file.py::qualified.name'"),
]
Location = Annotated[
    str,
    Field(pattern=r"^[^\s:\\][^:\\]*:[1-9][0-9]{0,6}$"),
    Wanted("a place as 'path/file.py:12' (lines count from 1)"),
]
if TYPE_CHECKING:  # mypy follows no alias that names itself
    Input = Any
else:
    Values = TypeAliasType("Values", int | float | bool | str | list["Values"] | None)
    Input = Annotated[Values, Wanted("a number, a text, or nested lists of them", number=True)]
Method = Literal[
    "value",
    "vjp",
    "derivative",
    "identity",
    "constraint",
    "discrete",
    "distribution",
    "composition",
    "order",
    "structure",
]
Status = Literal["implemented", "derived"]
Direction = Literal["forward", "backward", "neither"]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class Domain(_Entry):
    """The values that a symbol may take."""

    integer: bool = Field(False, description="Whole numbers only.")
    min: Expression | None = Field(
        None, description="Smallest value: a number or an expression over sizes and symbols."
    )
    max: Expression | None = Field(None, description="Largest value: a number or an expression, for example 'V - 1'.")
    open: list[Literal["min", "max"]] = Field(default_factory=list, description="Bounds that are themselves left out.")
    one_of: list[Number] | list[Word] = Field(
        default_factory=list, description="The only values there are: numbers, or words."
    )
    letters: Annotated[str, Field(min_length=1), Wanted("a text", text=True)] | None = Field(
        None, description="The value is a text (or each entry is one), of these characters, the empty text included."
    )
    probability_row: bool = Field(False, description="Non-negative along the last axis, and each row sums to 1.")
    permutation: bool = Field(False, description="A permutation of 0 .. n - 1 along the last axis.")
    distinct: bool = Field(False, description="No value occurs twice along the last axis.")
    function: bool = Field(
        False,
        description="A function of the code. A form applies it, as f(x + h*e), and says nothing of what is in it: for "
        "code and form alike it gives what it returns for arguments rounded to float64.",
    )


def _without_default(schema: dict[str, Any]) -> None:
    """For a key whose absence means something else than null."""
    schema.pop("default", None)


class Symbol(_Entry):
    """A symbol of the equations."""

    meaning: str = Field("", description="What it is, in a few words.")
    code: Annotated[str | dict[str, str | None] | None, Wanted("a name, null, or a mapping from function to name")] = (
        Field(
            None,
            description="Its name in the code; null: the code gives it none; a mapping from function to name where "
            "names differ. Left out: its own name.",
            json_schema_extra=_without_default,
        )
    )
    shape: Annotated[list[Expression], Wanted("a list of dimensions like [T, d]", number=True)] | None = Field(
        None,
        description="Dimensions as sizes or expressions; [] is a scalar; '...' may lead; [K, 'n[k]'] is a "
        "family of K arrays, the k-th with n[k] entries.",
    )
    parameter: bool = Field(False, description="Whether it is a trained parameter.")
    latex: Annotated[str | list[str], Wanted("a text or a list of texts")] = Field(
        default_factory=list, description="Its spellings in LaTeX, so that shown formulas can be read back."
    )
    domain: Domain | None = Field(None, description="The values that it may take.")


Index = Annotated[
    Expression | Annotated[list[Expression], Field(min_length=2, max_length=2)],
    Wanted("a size, or a half-open range [start, stop]", number=True),
]


class Given(_Entry):
    """Another equation's form, taken as known here."""

    equation: str = Field(description="The other equation's id.")
    rename: dict[str, str] = Field(default_factory=dict, description="Its symbols' names here: theirs to ours.")


class FunctionUse(_Entry):
    """A function symbol: another equation's left side."""

    equation: str = Field(description="The id of the equation whose left side the function is.")
    args: list[str] = Field(default_factory=list, description="That equation's symbols, in the order of the arguments.")
    latex: Annotated[str | list[str], Wanted("a text or a list of texts")] = Field(
        default_factory=list, description="How it is spelt in LaTeX, so that shown formulas can be read back."
    )


class Tolerance(_Entry):
    """A bound on abs(code - exact) in place of the rounding rule."""

    atol: Amount = Field(0.0, description="Absolute part.")
    rtol: Amount = Field(0.0, description="Part relative to the exact value.")
    reason: FullText = Field(description="Why the rule for rounding errors is not enough.")


class Ulps(_Entry):
    """A bound in units in the last place."""

    max: Amount = Field(description="The largest error in ulps.")
    reason: FullText = Field(description="Why.")


class Gradient(_Entry):
    """What a backward topic differentiates: method vjp shows the backward to be the adjoint of the forward."""

    forward: FunctionName = Field(description="The forward function, as 'path.py::name'.")
    backward: FunctionName = Field(
        description="The backward function, as 'path.py::name'. Its parameters get: the cotangent; the array named "
        "under `accumulates`; the forward's inputs, by symbol or by the same name; and `cache` the one that is left."
    )
    cotangent: str = Field(
        description="The backward's parameter that holds the gradient of the forward's output. '1' where the forward "
        "returns the loss itself and the backward takes no such parameter; another number is a factor of it."
    )
    cache: str | None = Field(
        None,
        description="What of the forward's result the backward takes: 'result', 'result[1]'. Left out: the backward "
        "takes the forward's inputs.",
    )
    output: str | None = Field(
        None,
        description="What of the forward's result the cotangent belongs to. Left out: all, of a tuple 'result[0]'.",
    )
    wrt: dict[str, str] = Field(
        description="What is differentiated by, to where its gradient is. An input of the forward: {X: 'result[0]'}, "
        "{Wq: 'grads[p + \"wq\"]'}, {W: self.dW}; names are `result` and the backward's parameters. A value on the "
        "forward's way: {Xhat: dXhat}, the gradient's symbol, which an anchor in the backward binds."
    )
    after: dict[str, str] = Field(
        default_factory=dict,
        description="For a value on the forward's way, the statement there that makes it: an anchor's name "
        "(equation/role/purpose) or the statement. Left out: the last anchor of the forward that binds its symbol.",
    )
    accumulates: str | None = Field(
        None,
        description="The backward's parameter that gradients are added to, an array or a dictionary of arrays. It "
        "starts with random values; what counts is by how much the backward changes them.",
    )
    call: str | None = Field(
        None,
        description="How the forward is called: an expression over symbols and sizes, like 'f(X, {\"w\": W})'. Left "
        "out: its call within the topic's `call`; else its parameters take the symbols of their names.",
    )


class ParameterStart(_Entry):
    """One parameter of a model."""

    shape: list[Expression] = Field(description="Its dimensions.")
    start: str = Field(description="The kind of its starting values, for example xavier_uniform, zeros or ones.")


class Anchor(_Entry):
    """One cited statement of the code."""

    role: Literal["computes", "inline", "calls", "tests", "explains", "states"] = Field(
        description="What the line does: computes the formula, repeats it inline, calls or tests the function that "
        "does, is explained by it, or states it in documentation."
    )
    at: Location = Field(
        description="'path:line', as a claim: `audit` checks it, `fix` rewrites the line. In a package that `packages` "
        "names the path goes from the package down: 'scipy/optimize/_optimize.py:427'."
    )
    function: str = Field("", alias="in", description="The enclosing function's qualified name; '' is the module.")
    code: str = Field("", description="The statement, as it stands; of a compound statement its header.")
    occurrence: int | None = Field(None, ge=0, description="Which one, from 0, if the statement occurs several times.")
    purpose: str = Field("", description="What this place does it for, for example Query; part of the anchor's name.")
    bind: dict[str, Expression] = Field(
        default_factory=dict,
        description="Symbol to where its value is at this line: a name, `result`, or an expression of the line; "
        "'[x]' is what x was in each turn of a loop before the line, on a leading axis. With it a line that calls is "
        "held against the form too: its arguments and its value, nothing else.",
    )
    part: int | None = Field(None, ge=0, description="Which statement of the form this line shows, from 0.")


class _Shared(_Entry):
    """Keys that an equation may have, and a topic for all of its equations."""

    where: str | None = Field(None, description="Inequalities and ranges that must hold; a comma is `and`.")
    indices: dict[str, Index] = Field(
        default_factory=dict, description="Index to its size, or to a half-open range [start, stop]."
    )
    let: dict[str, Expression] = Field(default_factory=dict, description="Helper names: {r: 'a + b'}.")
    given: list[Given] = Field(
        default_factory=list,
        description="Other equations whose forms are taken as known: by proofs, and by function symbols for what their "
        "arguments and their equation's topic leave open.",
    )
    domain: dict[str, Domain] = Field(default_factory=dict, description="Symbol to the values that it may take.")
    call: str | None = Field(None, description="How to call the target: an expression over symbols, sizes and rng.")
    gradient: Gradient | None = Field(None, description="What a backward function differentiates.")
    order: list[FunctionName] = Field(default_factory=list, description="The sequence of calls that a run must show.")
    structure: dict[str, ParameterStart] = Field(
        default_factory=dict, description="Parameter's key to its shape and start."
    )
    rejects: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*$"), Wanted("the name of an exception")] | None = Field(
        None, description="The exception that the code raises when the constraint is violated."
    )
    tolerance: Tolerance | None = Field(None, description="A declared bound, with its reason.")
    ulps: Ulps | None = Field(None, description="A declared bound in ulps, with its reason.")


class _Formula(_Shared):
    label: str = Field("", description="A short name of the equation.")
    latex: str | None = Field(None, description="The formula as shown. Use single quotes.")
    sympy: Annotated[str | list[str], Wanted("a text or a list of texts")] | None = Field(
        None, description="The form: one statement such as 'Eq(y[i], Sum(A[i, j]*x[j], j))', or a list of them."
    )
    derived: bool | None = Field(None, description="Worked out from the code, not written in it.")
    method: list[Method] = Field(["value"], description="How it is verified.")
    anchors: list[Anchor] = Field(
        default_factory=list, description="The lines that compute, repeat, call, test, explain or state it."
    )
    symbols: dict[str, Symbol] = Field(default_factory=dict, description="Its symbols.")
    functions: dict[str, FunctionUse] = Field(
        default_factory=dict, description="Function symbols: other equations' left sides."
    )
    wrt: list[str] = Field(
        default_factory=list,
        description="The entries of the gradient's `wrt` that this equation gives. Left out: those whose gradient is "
        "its left side (dX is that of X, and what the backward returns under that name).",
    )


class Equation(_Formula):
    """One equation of a topic. What it says itself goes before what its topic says for all."""

    id: Id = Field(description="Its id, unique in the specification; usually topic.name.")


_Docstring = Annotated[
    str,
    Field(pattern=r"^(docstring|[^\s:]+::?[^\W\d]\w*(\.[^\W\d]\w*)*)$"),
    Wanted("docstring (its own), or the 'module:name' of the function or class whose docstring states the formula"),
]


class Stated(_Entry):
    """Which of a docstring's formulas is meant."""

    of: _Docstring = Field("docstring", description="What has the docstring: docstring, or 'module:name'.")
    holds: FullText = Field(description="A part of the formula that no other one there has.")


class ShortEntry(_Formula):
    """One function's formula: names in it are the function's own parameters.

    A parameter whose default is no number (a flag, a unit, None), or that is called axis, axes or ddof, keeps its
    default where nothing here names it.
    """

    title: str = Field("", description="A short name, if the function's own is not enough.")
    states: _Docstring | Stated | None = Field(
        None,
        description="What has the docstring that states the formula, which is the form, or is held against `sympy`.",
    )
    gradient_of: str | None = Field(None, description="The function whose gradient this one returns.")
    by: str = Field("", description="The parameter that gradient_of differentiates by.")
    shapes: dict[str, Annotated[list[Expression], Wanted("a list of dimensions like [n]", number=True)]] = Field(
        default_factory=dict, description="Parameter to its dimensions."
    )
    status: Status = Field("implemented", description="implemented, or derived.")
    direction: Direction = Field("neither", description="forward, backward or neither.")


class Citation(_Entry):
    """A place in a work of the literature."""

    work: str = Field(description="The work's key in the literature file.")
    section: Label = Field("", description="Section, in quotes: '4.3'.")
    equation: list[Label] = Field(default_factory=list, description="Numbers of equations there.")
    page: Label = Field("", description="Page.")


class Step(_Entry):
    """One step of an example."""

    label: str = Field(
        description="What the step gives. Later steps may use it where it is a name; the name of an input stands for "
        "that input's new value from here on."
    )
    code: str = Field(
        description="A NumPy expression over the inputs and earlier steps: arithmetic, comparisons, `@`, `&`, `|`, "
        "`~`, `.T`, `.shape`, indices, slices, and NumPy's elementwise functions, reductions and makers of arrays."
    )


class Example(_Entry):
    """A tiny numeric example. It is worked out by `verify` and held against the code."""

    kind: Literal["editable", "steps", "differences", "stored"] = Field(
        description="editable: live in the page, so verify also holds it against the code at 20 random edits of the "
        "inputs, drawn within the symbols' domains and the equations' `where`; steps: a table; differences: a gradient "
        "by formula and by differences; stored: of a real run."
    )
    source: str = Field("", description="Where the numbers come from: hand-picked, a test's name, a run.")
    inputs: dict[str, Input] = Field(
        default_factory=dict,
        description="Name to value: numbers in nested lists. Steps compute in float64; the code gets a list as an "
        "array of floats, or of whole numbers where the symbol's domain says `integer`, and a single number as it is.",
    )
    steps: list[Step] = Field(default_factory=list, description="The steps, in order.")
    equals: FunctionName | None = Field(
        None,
        description="The real function that the steps must equal, to 1e-12 of the largest entry. It is called as "
        "`call` says, else as the topic's `call` does where that calls it, else with the inputs by parameter name or "
        "by the symbol that has that name in the code. `rng` is default_rng(42), or of an input `seed`; an input "
        "`uniform` is the first number that it draws. What it gives "
        "is matched to steps: a part that its `return` names like a step to that step, and the part that the topic's "
        "`gradient` gives for X (of an accumulator: by how much it changed) to the step dX. If the last step is not "
        "among these, the values that are left go to the last steps that are left, in order. Where it returns nothing, "
        "a step that is called like an input is compared with what the call made of that input. With kind stored: the "
        "function that the run must call.",
    )
    call: str | None = Field(
        None,
        description="How the code is called: an expression over the inputs, rng and what the target's module holds, "
        "like 'f(X, {\"w\": W})'.",
    )
    gives: dict[str, str] = Field(
        default_factory=dict,
        description="A step's label to what must equal it, where the rule of `equals` does not find it: an expression "
        "over `result` and the function's parameters after the call, like 'result[1][0]' or 'grads[\"w\"]'.",
    )
    run: str | None = Field(
        None,
        description="The scenario whose run is shown (kind: stored). It is called with default_rng(42) and the sizes "
        "of the site, and returns a list of rows: mappings from column to number or text.",
    )


class Row(_Entry):
    """One array of a shape table."""

    array: str = Field(description="The array, as the code writes it.")
    dims: list[Expression] = Field(description="Its dimensions.")


class ShapeTable(_Entry):
    """The shapes at one call site."""

    caption: str = Field("", description="What the call site does.")
    anchor: str | None = Field(None, description="The call site's anchor: equation/role/purpose.")
    rows: list[Row] = Field(description="The arrays.")


class PathStep(_Entry):
    """One step of a way through the code."""

    text: FullText = Field(description="What happens there. Lines are cited as {cite: ANCHOR} too.")
    cite: Annotated[FullText | list[FullText], Wanted("the name of an anchor, or a list of them")] = Field(
        description="The cited lines where it happens: equation/role/purpose, or a list of such names."
    )


class Section(_Entry):
    """A heading with prose, steps along the code, and a table from a run; at least one of the three."""

    heading: FullText = Field(description="Its heading.")
    text: str = Field("", description="Prose: paragraphs parted by empty lines, `code`, {cite: ANCHOR}.")
    steps: list[PathStep] = Field(
        default_factory=list, description="A way through the code, in order, each step with the lines it is seen in."
    )
    run: str | None = Field(
        None,
        description="A scenario whose rows are shown as a table. It is called with default_rng(42) and the sizes of "
        "the site, and returns a list of rows: mappings from column to number or text.",
    )
    caption: str = Field("", description="What the table shows.")


class Topic(_Shared):
    """One topic: what a page of the reference site shows under one heading."""

    topic: Id = Field(description="The topic's id.")
    title: FullText = Field(description="Its heading.")
    page: str = Field(description="The id of the page that shows it.")
    category: str = Field("", description="A heading above related topics.")
    status: Status = Field(description="implemented; derived: worked out from the code, not written in it.")
    direction: Direction = Field(description="forward, backward or neither.")
    functions: list[FunctionName] = Field(description="The functions that implement it: 'path.py::qualified.name'.")
    literature: list[Citation] = Field(default_factory=list, description="Where it comes from.")
    what: FullText = Field(description="What it computes, in prose. Lines are cited as {cite: ANCHOR} only.")
    why: FullText = Field(description="Why it is there, in prose.")
    symbols: dict[str, Symbol] = Field(description="The symbols of its equations.")
    equations: list[Equation] = Field(description="Its equations.")
    example: Example | None = Field(None, description="A tiny numeric example.")
    shapes: list[ShapeTable] = Field(default_factory=list, description="One table of shapes a call site.")
    sections: list[Section] = Field(
        default_factory=list, description="What else there is to say, for example how a gradient reaches an update."
    )


class Page(_Entry):
    """One page of the site: topics, sections, or both."""

    page: Id = Field(description="Its id.")
    title: FullText = Field(description="Its title.")
    intro: str = Field("", description="A paragraph before its topics.")
    notation: str = Field("", description="The rule by which names on this page are to be read.")
    topics: list[str] = Field(default_factory=list, description="Ids of its topics, in order.")
    sections: list[Section] = Field(default_factory=list, description="What stands before its topics, in order.")


class Work(_Entry):
    """One work of the literature; a DOI or an arXiv id is needed."""

    title: FullText = Field(description="Title.")
    authors: list[str] = Field(min_length=1, description="Authors, in order.")
    year: int = Field(ge=1000, le=9999, description="Year.")
    venue: str = Field("", description="Journal, conference or publisher.")
    doi: Annotated[str, Field(pattern=r"^10\.\d{4,9}/\S+$"), Wanted("a DOI like '10.1000/182'")] | None = Field(
        None, description="DOI, without https://doi.org/."
    )
    arxiv: (
        Annotated[
            str,
            Field(pattern=r"^(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7})(v\d+)?$"),
            Wanted("an arXiv id like '1706.03762', in quotes"),
        ]
        | None
    ) = Field(None, description="arXiv id, in quotes: '1706.03762'.")


class Waiver(_Entry):
    """A reasoned exception: `equation` and `lacks`, or a statement by `at`, `in` and `code`."""

    reason: FullText = Field(description="Why it is right to leave it so.")
    equation: str | None = Field(None, description="The equation's id.")
    lacks: Literal["code", "test", "latex", "states", "branch"] | None = Field(
        None, description="What the equation lacks."
    )
    at: Location | None = Field(None, description="'path:line' of a statement that no equation claims.")
    function: str = Field("", alias="in", description="Its enclosing function.")
    code: str | None = Field(None, description="The statement.")


_DEFER = ConfigDict(defer_build=True)  # each is built when it is first used
TOPIC = TypeAdapter(Topic)
SHORT = TypeAdapter(list[ShortEntry], config=_DEFER)
PAGES = TypeAdapter(list[Page], config=_DEFER)
LITERATURE = TypeAdapter(dict[str, Work], config=_DEFER)
WAIVERS = TypeAdapter(list[Waiver], config=_DEFER)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a specification file: topic form, or short form (a file without the key `topic`)."""
    _, schema = models_json_schema([(Topic, "validation"), (ShortEntry, "validation")])
    entry = {"$ref": "#/$defs/ShortEntry"}
    short = {
        "type": "object",
        "description": "Short form: module (or path.py) to its functions, or a full target to its formula.",
        "not": {"required": ["topic"]},
        "patternProperties": {":": entry},
        "additionalProperties": {"type": "object", "additionalProperties": entry},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "eqtrace specification",
        "anyOf": [{"$ref": "#/$defs/Topic"}, short],
        **with_samples({"$defs": schema["$defs"]}),
    }


def pages_schema() -> dict[str, Any]:
    """The JSON Schema of the file of pages."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "eqtrace pages",
        **with_samples(PAGES.json_schema()),
    }
