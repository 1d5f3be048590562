"""The end of the text reports: what was checked and how, what was not, and how it came out.

Every line says what it is a number of, and of how many; a run that looked at nothing says so and cannot be mistaken
for one that found nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from eqtrace.model.anchor import Status
from eqtrace.model.example import Outcome
from eqtrace.model.mutant import Score
from eqtrace.model.results import Reviews, Tally
from eqtrace.model.verdict import Verdict
from eqtrace.report.mutants import Mutation
from eqtrace.report.rows import EquationRow, LatexSummary, Rows, Summary, furthest, slowest
from eqtrace.report.styled import Line, clean

_MEANING = {
    Verdict.PROVED: "from the forms, for all sizes",
    Verdict.PROVED_AT_SIZES: "exactly, at small sizes",
    Verdict.CERTIFIED: "in exact balls, at the points tried",
    Verdict.CERTIFIED_TO_CONSTANTS: "the same, up to the rounding of constants in the code",
    Verdict.TESTED: "by references, statistics, constraints, order or structure",
    Verdict.SAMPLED: "in float64 only",
    Verdict.NOT_CHECKED: "NOTHING was shown",
    Verdict.REFUTED: "the code does NOT compute the formula",
}
_AMPLIFIED = 1e6  # ulps of what passes: terms cancel, or an input's last digit changes many of the result's
_STYLE = {Verdict.NOT_CHECKED: "bold yellow", Verdict.REFUTED: "bold red"}
_NAMED = 12  # ids shown in one line before the rest is counted
_LABEL = 12


def summary(report: Rows) -> list[Line]:
    """The summary of a full report, ending in the closing line."""
    facts = report.summary
    lines: list[Line] = [[(f"eqtrace {facts.command}", "bold"), (f"  {_scope(facts)}", "")]]
    if facts.mutation is not None:
        return [*lines, *_mutants(facts, facts.mutation), [], closing(report)]
    if facts.command == "review":
        lines += [entry(label, text) for label, text in _review(facts) if text]
        return [*lines, [], closing(report)]
    lines += [entry(label, text) for label, text in _facts(report) if text]
    lines += _verdicts(report)
    return [*lines, [], closing(report)]


def closing(report: Rows) -> Line:
    """The one line that says how it came out."""
    facts = report.summary
    found = _found(facts)
    if facts.command == "review" and facts.reviews is not None and facts.equations:
        if facts.exit == 2:
            return [("Nothing was recorded: ", "bold red"), (f"{found} in {facts.reviews.ledger}.", "")]
        return _reviewed(facts.reviews)
    if not facts.equations:
        return [("Nothing was checked: ", "bold red"), (f"no equation was looked at; {found}. This is no pass.", "")]
    if facts.exit == 3:
        return [("Fault of eqtrace: ", "bold red"), (f"{found}; these results are incomplete.", "")]
    if facts.exit == 2:
        return [("Nothing was checked: ", "bold red"), (f"{found}. This is no pass.", "")]
    if facts.mutation is not None and not facts.exit:
        return [("Noticed", "bold green"), (f" every mutant: {_share(facts.mutation.score)}.", "")]
    if facts.mutation is not None and facts.mutation.score.survived == facts.severities["error"]:
        survived = f"{count(facts.mutation.score.survived, 'mutant')} survived"
        return [("Failed: ", "bold red"), (f"{survived}; {_share(facts.mutation.score)}.", "")]
    if facts.severities["error"] or facts.exit:
        return [("Failed: ", "bold red"), (f"{found} in {_checked(facts)}.", "")]
    return [("No errors", "bold green"), (f" in {_checked(facts)}; {found}.{_reservation(report)}", "")]


def count(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _scope(facts: Summary) -> str:
    chosen = "" if facts.equations == facts.equations_in_all else f" of {facts.equations_in_all:,}"
    equations = f"{facts.equations:,}{chosen} equation{'' if facts.equations == 1 and not chosen else 's'}"
    parts = [count(facts.topics, "topic"), equations, count(facts.anchors, "cited line")]
    seed = "" if facts.verdicts is None else f", seed {facts.seed}"
    return f"{', '.join(parts)} from {count(facts.files, 'file')} in {facts.seconds:.2f} s{seed}"


def _facts(report: Rows) -> Iterable[tuple[str, str]]:
    facts = report.summary
    yield "cited lines", _citations(facts)
    yield "executed", _executed(facts)
    yield "coverage", _coverage(facts)
    yield "latex", _read(facts.latex, "read back")
    yield "documented", _read(facts.states, "read")
    yield "examples", _examples(facts)
    yield "exempt", _exempt(facts)
    yield "reviewed", _counted(facts.reviews)
    yield "from cache", _from_cache(facts)
    yield "skipped", "" if facts.skipped else "nothing"
    for sentence in facts.skipped:
        yield "skipped", sentence
    for sentence in facts.notes:
        yield "note", sentence
    for ulps, name, method, where in furthest(report.equations):
        why = ", as the formula amplifies rounding there" if ulps > _AMPLIFIED else ""
        yield "worst error", f"{ulps:.3g} ulps{why}: {name} ({method}), {where}"
    units = [f"{name} ({method}) {seconds:.2f} s" for seconds, name, method in slowest(report.equations)]
    yield "slowest", ", ".join(units)


def _from_cache(facts: Summary) -> str:
    if not facts.from_cache:
        return "nothing"
    if facts.command == "audit":
        return "everything: nothing that it rests on has changed"
    return count(facts.from_cache, "result")


def _mutants(facts: Summary, found: Mutation) -> list[Line]:
    """Scores, by method and by operator."""
    lines = [entry("mutants", _fates(found.score))]
    lines.append(entry("killed by", ", ".join(f"{method} {number:,}" for method, number in found.methods.items())))
    lines.append(entry("from cache", count(facts.from_cache, "mutant") if facts.from_cache else "nothing"))
    lines += [entry("skipped", sentence) for sentence in facts.skipped]
    if found.score.crash:
        lines.append(entry("crashed", "the changed code raised: verification tells that as EQ903, no method had to"))
    tables = (("operator", found.operators), ("topic", found.topics), ("equation", found.equations))
    for title, scores in tables:
        if not scores:
            continue
        lines += [
            [],
            [(f"  {title:<44}{'killed':>8}{'survived':>10}{'equivalent':>12}{'crash':>7}{'timeout':>9}", "dim")],
        ]
        for name, each in scores.items():
            style = "bold red" if each.survived else ""
            numbers = f"{each.killed:>8,}{each.survived:>10,}{each.equivalent:>12,}{each.crash:>7,}{each.timeout:>9,}"
            lines.append([(f"  {clean(name):<44}", ""), (numbers, style)])
    return lines


def _fates(score: Score) -> str:
    parts = [
        f"{score.killed:,} killed",
        f"{score.survived:,} survived",
        f"{score.equivalent:,} proved equivalent",
        f"{score.crash:,} crashed",
        f"{score.timeout:,} timed out",
    ]
    return f"{score.total:,}: {', '.join(parts)}"


def _share(score: Score) -> str:
    share = "none was judged" if score.share is None else f"{100 * score.share:.1f}%"
    return (
        f"score {share} ({score.killed:,} killed of {score.killed + score.survived:,} that are not proved equivalent)"
    )


def _review(facts: Summary) -> Iterable[tuple[str, str]]:
    yield "cited lines", _citations(facts)
    yield "reviewed", _counted(facts.reviews)
    if facts.reviews is not None:
        for name in facts.reviews.refused or ():
            yield "refused", name
    for sentence in (*facts.skipped, *facts.notes):
        yield "note", sentence


def _counted(reviews: Reviews | None) -> str:
    if reviews is None:
        return ""
    suspect = f", {reviews.suspect:,} suspect" if reviews.suspect else ""
    return f"{reviews.reviewed:,} of {count(reviews.links, 'link')}{suspect}"


def _reviewed(reviews: Reviews) -> Line:
    """How a review came out."""
    if reviews.recorded is not None:
        removed = f", {count(reviews.removed, 'line')} of links that are gone removed" if reviews.removed else ""
        kept = f" in {reviews.ledger}{removed}; {reviews.reviewed:,} of {count(reviews.links, 'link')} reviewed."
        if reviews.refused:
            refused = f"{count(len(reviews.refused), 'link')} refused, whose cited lines are not where they say; "
            return [("Refused: ", "bold red"), (f"{refused}{count(reviews.recorded, 'link')} recorded{kept}", "")]
        return [("Recorded", "bold green"), (f" {count(reviews.recorded, 'link')}{kept}", "")]
    left = reviews.links - reviews.reviewed
    others = f"; {left:,} of {count(reviews.links, 'link')} not reviewed yet." if left else "."
    if reviews.suspect:
        return [("Suspect: ", "bold yellow"), (f"{count(reviews.suspect, 'link')}{others}", "")]
    return [("Nothing is suspect", "bold green"), (f" of {count(reviews.reviewed, 'reviewed link')}{others}", "")]


def _citations(facts: Summary) -> str:
    others = [
        f"{facts.statuses[each]:,} {each.value}" for each in Status if each is not Status.OK and facts.statuses[each]
    ]
    fix = " (`eqtrace fix` writes their new places)" if facts.statuses[Status.MOVED] else ""
    return ", ".join([f"{facts.anchors_ok:,} of {facts.anchors:,} where they say", *others]) + fix


def _executed(facts: Summary) -> str:
    if facts.anchors_executed is None:
        return "none: this command runs no code"
    return f"{facts.anchors_executed:,} of {facts.anchors_executable:,} cited lines that verification runs"


def _coverage(facts: Summary) -> str:
    if facts.coverage is None:
        return "not asked for"
    equations = _tally(facts.coverage.equations, "equations have code and a test")
    if not facts.coverage.statements.total:
        return equations
    return f"{equations}; {_tally(facts.coverage.statements, 'arithmetic statements have an equation')}"


def _read(found: LatexSummary | None, word: str) -> str:
    """`140 of 166 read back, all agree (131 by proof, 9 by values); 26 not read`."""
    if found is None:
        return ""
    agree = [f"{number:,} {how}" for number, how in ((found.proof, "by proof"), (found.values, "by values")) if number]
    how = f" ({', '.join(agree)})" if agree else ""
    parts = [f"all agree{how}" if found.agree == found.read else f"{found.agree:,} agree{how}"]
    if found.forms:
        parts = [*([] if not found.agree else parts), f"{found.forms:,} are the form themselves"]
    if found.differ:
        parts.append(f"{found.differ:,} DIFFER")
    if found.not_compared:
        parts.append(f"{found.not_compared:,} to be compared by `eqtrace verify`")
    text = f"{found.read:,} of {found.total:,} {word}" + (f", {', '.join(parts)}" if found.read else "")
    if found.not_read:
        text += f"; {found.not_read:,} not read" + (f", {found.waived:,} of them waived" if found.waived else "")
    return text


def _tally(tally: Tally, what: str) -> str:
    waived = f", {tally.waived:,} waived" if tally.waived else ""
    return f"{tally.covered:,} of {tally.total:,} {what}{waived}"


def _examples(facts: Summary) -> str:
    """How the worked examples came out; nothing where there are none."""
    total = sum(facts.examples.values())
    if not total:
        return ""
    if facts.examples[""] == total:
        return f"{total:,}, none of them worked out: this command runs no code"
    words = {
        Outcome.AGREES: "agree with the code",
        Outcome.DIFFERS: "DIFFER from it",
        Outcome.SHOWN: "worked out and compared with nothing",
        Outcome.NOT_RUN: "could NOT be worked out",
        "": "not tried: see the findings",
    }
    return ", ".join(f"{facts.examples[each]:,} {word}" for each, word in words.items() if facts.examples[each])


def _exempt(facts: Summary) -> str:
    if not facts.equation_waivers + facts.statement_waivers:
        return "nothing"
    return f"by waivers: {count(facts.equation_waivers, 'equation')}, {count(facts.statement_waivers, 'statement')}"


def _verdicts(report: Rows) -> list[Line]:
    counted = report.summary.verdicts
    if counted is None:
        return [entry("verdicts", "none: values are checked by `eqtrace verify`")]
    lines: list[Line] = [[]] if report.equations else []
    for verdict in Verdict:
        if number := counted[verdict]:
            style = _STYLE.get(verdict, "")
            lines.append(
                [("  ", ""), (f"{verdict.value:<22}", style), (f"{number:>6,}  ", ""), (_MEANING[verdict], style)]
            )
    unrun = report.summary.equations - sum(counted.values())
    if unrun:
        lines.append([(f"  {'no method was run':<22}{unrun:>6,}  NOTHING was shown", "bold yellow")])
    for verdict in (Verdict.REFUTED, Verdict.NOT_CHECKED):
        lines += _named(verdict, report.equations)
    for verdict in (Verdict.SAMPLED, Verdict.CERTIFIED_TO_CONSTANTS):
        lines += _reasons(verdict, report.equations)
    return lines


def _reasons(verdict: Verdict, equations: tuple[EquationRow, ...]) -> list[Line]:
    """Why equations stand below certified: the first limit of the method that pulls each down."""
    return [
        [("  ", ""), (f"{verdict.value}: ", _STYLE.get(verdict, "")), (clean(f"{each.id}: {row.limits[0]}"), "")]
        for each in equations
        for row in each.methods.values()
        if each.verdict == verdict and row is not None and row.verdict == verdict and row.limits
    ]


def _named(verdict: Verdict, equations: tuple[EquationRow, ...]) -> list[Line]:
    ids = [each.id + _why(each, verdict) for each in equations if each.verdict == verdict]
    if not ids:
        return []
    rest = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    return [[("  ", ""), (f"{verdict.value}: ", _STYLE[verdict]), (clean(", ".join(ids[:_NAMED]) + rest), "")]]


def _why(equation: EquationRow, verdict: Verdict) -> str:
    """The methods that pull an equation down to `verdict`."""
    names = [name for name, row in equation.methods.items() if row is None or row.verdict == verdict]
    return f" ({', '.join(names)})" if names else ""


def entry(label: str, text: str) -> Line:
    """A labelled line of the summary."""
    return [(f"  {label:<{_LABEL}}", "dim"), (clean(text), "")]


def _found(facts: Summary) -> str:
    return f"{count(facts.severities['error'], 'error')}, {count(facts.severities['warning'], 'warning')}"


def _checked(facts: Summary) -> str:
    return f"{count(facts.equations, 'equation')} and {count(facts.anchors, 'cited line')}"


def _reservation(report: Rows) -> str:
    """What a run without errors did not show."""
    counted = report.summary.verdicts
    if counted is None:
        return " Values were not checked: run `eqtrace verify`."
    missing = report.summary.equations - sum(counted.values()) + counted[Verdict.NOT_CHECKED]
    return f" Nothing was shown of {count(missing, 'equation')}." if missing else ""
