"""Topics as a page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

from eqtrace.code.calls import CallGraph
from eqtrace.config import Config
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Finding
from eqtrace.model.results import Results
from eqtrace.model.symbol import Symbol
from eqtrace.model.topic import ShapeTable, Topic
from eqtrace.model.verdict import Verdict, weakest
from eqtrace.report.drafts import Draft
from eqtrace.report.hosting import Host
from eqtrace.report.marks import spellings
from eqtrace.report.mutants import Mutation, noticed
from eqtrace.report.prose import Resolve, inline, paragraphs
from eqtrace.report.rows import Rows
from eqtrace.report.sizes import legend, names, shown
from eqtrace.report.view.bibtex import bibtex
from eqtrace.report.view.citations import (
    CitationView,
    UseView,
    WorkView,
    citation_views,
    implementations,
    inline_sites,
    use_views,
    work_views,
)
from eqtrace.report.view.code import Claims, CodeView, Marks, function_view
from eqtrace.report.view.equation import EquationView, SymbolView, equation_view, latex_shown, rules, symbol_view
from eqtrace.report.view.example import ExampleView, example_view
from eqtrace.report.view.places import PagePlan, Places
from eqtrace.report.view.section import SectionView, section_views
from eqtrace.report.words import DIRECTIONS, FUNCTION, GIVEN, STATUSES, Badge, badge, slug

_RANKS = [*Verdict, None]


@dataclass(frozen=True, slots=True)
class Site:
    """All that the views of one site are built from."""

    config: Config
    results: Results
    report: Rows
    places: Places
    graph: CallGraph
    cited: Claims
    mutation: Mutation | None = None  # of a stored run of `mutate`
    host: Host | None = None
    marks: Marks = field(default_factory=dict)

    def resolve(self, on: str, topic: str = "") -> Resolve:
        """Resolves `{cite: ...}` on the page `on`."""
        return lambda name: self.places.cite(name, on, topic)


@dataclass(frozen=True, slots=True)
class ShapesView:
    """The shapes at one call site: rows of (array, dims, dims with sizes)."""

    caption: Markup
    place: str
    address: str | None
    rows: tuple[tuple[str, str, str], ...]
    legend: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class TopicView:
    """A topic with everything that its page shows of it."""

    id: str
    element: str
    address: str
    title: str
    status: str
    status_word: str
    direction: str
    direction_word: str
    category: str
    badge: Badge
    mutants: str  # how many of its mutants were noticed, in words; '' where no run is stored
    what: Markup
    why: Markup
    equations: tuple[EquationView, ...]
    symbols: tuple[SymbolView, ...]
    reused: tuple[Markup, ...]  # in words: letters that stand for something else too
    example: ExampleView | None
    shapes: tuple[ShapesView, ...]
    code: tuple[CodeView, ...]
    citations: tuple[CitationView, ...]
    inline_sites: tuple[CitationView, ...]
    implementations: tuple[CitationView, ...]
    uses: tuple[UseView, ...]
    literature: tuple[WorkView, ...]
    findings: tuple[Finding, ...]
    bibtex: str
    sections: tuple[SectionView, ...]
    rank: int  # of its verdict, 0 the best
    error: float  # the largest of its equations in ulps, -1 where none is known

    @property
    def count(self) -> int:
        """How many equations it has."""
        return len(self.equations)

    @property
    def files(self) -> tuple[str, ...]:
        """Of the lines that its equations cite."""
        return tuple(dict.fromkeys(path for each in self.equations for path in each.files))


@dataclass(frozen=True, slots=True)
class TopicHead:
    """What a page says of a topic outside the part that shows it."""

    element: str
    title: str
    status_word: str
    direction_word: str
    badge: Badge
    count: int  # of its equations
    editable: bool  # whether it has an example that may be edited
    article: Draft


def topic_head(topic: Topic, article: Draft, site: Site) -> TopicHead:
    """The head of a topic that is shown as `article`."""
    return TopicHead(
        element=slug(topic.id),
        title=topic.title,
        status_word=STATUSES.get(topic.status, topic.status),
        direction_word=DIRECTIONS.get(topic.direction, topic.direction),
        badge=badge(verdict(topic, site.results)),
        count=len(topic.equations),
        editable=topic.example is not None and topic.example.kind == "editable",
        article=article,
    )


def topic_view(topic: Topic, on: str, site: Site) -> TopicView:
    """The view of one topic on the page `on`."""
    resolve = site.resolve(on, topic.id)
    sizes = site.config.site.sizes
    rows = {row.id: row for row in site.report.equations}
    cited = citation_views(topic, site.results, site.places, on)
    scores = site.mutation.equations if site.mutation is not None else {}
    equations = tuple(
        equation_view(
            each,
            rows.get(each.id),
            cited,
            resolve,
            commit_of(each, site),
            rests_on(each, on, site),
            scores.get(each.id),
        )
        for each in topic.equations
    )
    symbols = symbols_of(topic)
    return TopicView(
        id=topic.id,
        element=slug(topic.id),
        address=site.places.topic(topic.id, on) or "",
        title=topic.title,
        status=topic.status,
        status_word=STATUSES.get(topic.status, topic.status),
        direction=topic.direction,
        direction_word=DIRECTIONS.get(topic.direction, topic.direction),
        category=topic.category,
        badge=badge(verdict(topic, site.results)),
        mutants=_mutants(topic, site),
        what=paragraphs(topic.what.value if topic.what else "", resolve),
        why=paragraphs(topic.why.value if topic.why else "", resolve),
        equations=equations,
        symbols=tuple(symbol_view(each, sizes, resolve) for each in symbols.values()),
        reused=tuple(reused(topic, on, site)),
        example=next((example_view(row, on, site) for row in site.report.examples if row.topic == topic.id), None),
        shapes=tuple(shape_view(each, topic.id, on, site) for each in topic.shapes),
        code=tuple(function_view(each, symbols, site, on) for each in site.places.functions[topic.id]),
        citations=cited,
        inline_sites=inline_sites(cited),
        implementations=implementations(cited),
        uses=use_views(topic, site.places, site.graph, on),
        literature=tuple(work_views(topic, site.results)),
        findings=findings_of(topic, site.report.findings),
        sections=section_views(topic.sections, slug(topic.id), on, site),
        bibtex=bibtex(topic, dict(site.results.specification.literature)),
        rank=_RANKS.index(verdict(topic, site.results)),
        error=max((error for each in equations for error in _errors(each)), default=-1),
    )


def commit_of(equation: Equation, site: Site) -> str:
    """The commit of the repository that is configured, in words, and which cited files are not as they are there."""
    if site.host is None:
        return "none is configured"
    paths = dict.fromkeys(site.places.line_of(anchor)[0] for anchor in equation.anchors)
    others = [path for path in paths if site.host.line(path, 1) is None]
    return site.host.commit[:12] + (f", but for {', '.join(others)}, which was checked as it is here" if others else "")


def rests_on(equation: Equation, on: str, site: Site) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """In words how an equation rests on others, and which: by id, with the address on the page `on`."""
    known = [given.equation.value for given in equation.given]
    found = {GIVEN: known, FUNCTION: [use.equation.value for use in equation.functions.values()]}
    links = {
        how: tuple((name, address) for name in dict.fromkeys(names) if (address := site.places.equation(name, on)))
        for how, names in found.items()
    }
    return tuple((how, each) for how, each in links.items() if each)


def _errors(equation: EquationView) -> Iterator[float]:
    for each in equation.methods:
        if each.row is not None and each.row.worst_ulp is not None:
            yield each.row.worst_ulp


def _mutants(topic: Topic, site: Site) -> str:
    score = site.mutation.topics.get(topic.id) if site.mutation is not None else None
    return noticed(score) if score is not None else ""


def symbols_of(topic: Topic) -> Mapping[str, Symbol]:
    """The topic's symbols; in short form, those of its equations."""
    if topic.symbols:
        return topic.symbols
    return {name: symbol for equation in topic.equations for name, symbol in equation.symbols.items()}


def reused(topic: Topic, on: str, site: Site) -> Iterator[Markup]:
    """The topic's symbols that are also sizes, or that have another shape in a topic of the same page."""
    own = {symbol.name: symbol for symbol in symbols_of(topic).values() if symbol.shape is not None}
    plan = next((plan for plan in site.places.pages if topic.id in (each.id for each in plan.topics)), None)
    others = [each for each in (plan.topics if plan else ()) if each.id != topic.id]
    used = names([dim for symbol in own.values() for dim in _dims(symbol)])
    for name, symbol in own.items():
        code = Markup("<code>{}</code>").format(name)
        if symbol.shape and (name in used or name in site.config.site.sizes):
            yield Markup("{} is an array here; in shapes it is a size.").format(code)
        found = [
            Markup('<a href="{}">{}</a> (<q>{}</q>)').format(
                site.places.topic(other.id, on) or "", other.title, inline(each.meaning, site.resolve(on))
            )
            for other in others
            for each in symbols_of(other).values()
            if each.name == name and each.shape is not None and len(each.shape) != len(symbol.shape or ())
        ]
        if found:
            yield Markup("{} stands for something of another kind in {}.").format(code, Markup(", ").join(found))


def _dims(symbol: Symbol) -> list[str]:
    return [each.value for each in symbol.shape or ()]


def verdict(topic: Topic, results: Results) -> Verdict | None:
    """A topic's verdict, the weakest of its equations'; None where no method was run."""
    found = [results.verdict(equation.id) for equation in topic.equations]
    known = [each for each in found if each is not None]
    if not known:
        return None
    return weakest(known if len(known) == len(found) else [*known, Verdict.NOT_CHECKED])


def findings_of(topic: Topic, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings about a topic: those of its equations, and the others in its file (short form shares files)."""
    ids = {equation.id for equation in topic.equations}

    def belongs(finding: Finding) -> bool:
        if finding.equation is not None:
            return finding.equation in ids
        return not topic.short and finding.span.path == topic.span.path

    return tuple(finding for finding in findings if belongs(finding))


def shape_view(table: ShapeTable, topic: str, on: str, site: Site) -> ShapesView:
    """One table of shapes on the page `on`."""
    sizes = site.config.site.sizes
    found = site.places.cite(table.anchor.value, on, topic) if table.anchor else None
    rows = tuple((array, *shown(dims, sizes)) for array, dims in table.rows)
    return ShapesView(
        caption=inline(table.caption, site.resolve(on, topic)),
        place=found[1] if found else "",
        address=found[0] if found else None,
        rows=rows,
        legend=legend([dim for _, dims in table.rows for dim in dims], sizes),
    )


def math_sheet(pages: Iterable[PagePlan]) -> str:
    """The style sheet of all formulas."""
    found: dict[str, str] = {}
    for topic in (topic for plan in pages for topic in plan.topics):
        for equation in topic.equations:
            latex = latex_shown(equation)
            found.update(rules(latex, display=True) if latex else {})
        for symbol in symbols_of(topic).values():
            found.update(rules(spellings(symbol)[0], display=False))
    return "".join(f".{name} {{ {rule} }}\n" for name, rule in sorted(found.items()))
