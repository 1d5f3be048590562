"""Runs the stages over a repository: documents, citations, files, evidence, verdicts."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from eqtrace.cites import consensus, documents, forms, judge, ledger, links, names, order
from eqtrace.cites.adopted import judge_adopted
from eqtrace.cites.before import Before
from eqtrace.cites.blocks import Blocks
from eqtrace.cites.changed import Touched, narrowed
from eqtrace.cites.documents import Document, Zone
from eqtrace.cites.git import Git
from eqtrace.cites.gone import Gone
from eqtrace.cites.history import History, Trace, Wanted
from eqtrace.cites.kinds import CODE
from eqtrace.cites.outline import Outline
from eqtrace.cites.resolve import Resolution, resolve
from eqtrace.cites.tree import Tree
from eqtrace.errors import EqtraceError
from eqtrace.model.citation import Citation, CitationStatus, Cited, Confidence, Evidence, Form, Judged, Target

_KEPT_OUTLINES = 64
_TOLD = 50  # documents or citations between two words of progress
_DOMAINS = frozenset({"com", "org", "net", "io", "dev", "ai", "app", "edu", "gov", "local", "localhost", "internal"})


@dataclass(frozen=True, slots=True)
class Options:
    """What a run of `cites` does.

    `records` reads records of their day too; `changed` is the revision since which something must have changed;
    `progress` is told how many of how many are done, and of what.
    """

    history: bool = True
    records: bool = False
    changed: str | None = None
    progress: Callable[[int, int, str], None] | None = None

    def tell(self, done: int, total: int, what: str) -> None:
        """Says how far it is, now and then."""
        if self.progress is not None and (done == total or done % _TOLD == 0):
            self.progress(done, total, what)


@dataclass(frozen=True, slots=True)
class Found:
    """A citation with all that its document says of it."""

    citation: Citation
    names: names.Names
    resolution: Resolution
    record: bool


def tree_of(folder: Path) -> Tree:
    """The repository that `folder` lies in, or `folder` itself."""
    git = Git.around(folder)
    return Tree(git.root if git is not None else folder.resolve(), git)


def scan(tree: Tree, paths: Sequence[Path], options: Options) -> Cited:
    """Judges the citations of the documents under `paths` (all of the repository without any).

    Raises:
        EqtraceError: a path is not there, the ledger can't be read, or there is no such revision.
    """
    began = time.perf_counter()
    touched = None if options.changed is None else Touched.since(tree.git, options.changed)
    run = _Run(tree, options)
    found = run.found(_chosen(tree, paths))
    judged = run.judged(found)
    kept = judged if touched is None else narrowed(judged, touched)
    return Cited(
        documents=run.documents,
        citations=tuple(kept),
        set_aside=tuple(run.set_aside),
        unreadable=tuple(run.unreadable),
        left_out=len(judged) - len(kept),
        history=run.why_no_history,
        seconds=time.perf_counter() - began,
    )


def _chosen(tree: Tree, paths: Sequence[Path]) -> list[str]:
    """The documents to read, in order: a folder's, or a file of whatever kind."""
    if not paths:
        return sorted(path for path in tree.files if documents.is_document(path))
    chosen: set[str] = set()
    root = tree.root.resolve()
    for path in paths:
        full = path.resolve()
        if not full.exists():
            raise EqtraceError(f"{path} is not there")
        if not full.is_relative_to(root):
            raise EqtraceError(f"{path} lies outside {tree.root}", "run it in the repository that the document is in")
        relative = full.relative_to(root).as_posix()
        if full.is_dir():
            within = "" if relative == "." else relative + "/"
            chosen |= {each for each in tree.files if each.startswith(within) and documents.is_document(each)}
        else:
            chosen.add(relative)
    return sorted(chosen)


class _Run:
    """One run: reads documents first, then judges all their citations, so that git is asked once."""

    def __init__(self, tree: Tree, options: Options) -> None:
        self.tree = tree
        self.options = options
        self.documents = 0
        self.set_aside: list[str] = []
        self.unreadable: list[str] = []
        self.extensions = frozenset(PurePosixPath(path).suffix[1:] for path in tree.files) - {""} - _DOMAINS
        self.remote = links.Remote.of(tree)
        self.ledger = ledger.load(tree)
        self.gone = Gone(tree, self.history)
        self.before = None if self.history is None else Before(self.history)
        self._several: dict[Citation, Sequence[int]] = {}
        self._outlines: OrderedDict[tuple[str, str], Outline] = OrderedDict()

    @cached_property
    def history(self) -> History | None:
        """The history, if there is one and it was asked for."""
        return History.of(self.tree) if self.options.history else None

    @property
    def why_no_history(self) -> str:
        """Why history was not used; '' where it was."""
        if not self.options.history:
            return "history was not asked for"
        if self.history is None:
            return "there is no git history here"
        return "the clone is shallow: citations that are older than it have no history" if self.history.cut else ""

    def found(self, paths: Sequence[str]) -> list[Found]:
        """The citations of all documents."""
        found: list[Found] = []
        for number, path in enumerate(paths, 1):
            found += self.read(path)
            self.options.tell(number, len(paths), "documents read")
        return found

    def read(self, path: str) -> Iterator[Found]:
        """The citations of one document."""
        text = self.tree.text(path)
        if text is None:
            self.unreadable.append(path)
            return
        record = documents.is_record(path, text)
        if record and not self.options.records:
            self.set_aside.append(path)
            return
        self.documents += 1
        document = documents.read(path, text)
        if document is None:
            return
        if document.cut:
            self.unreadable.append(path)
        blocks = Blocks(document.prose)
        extracted = forms.extract(document, blocks, self.extensions)
        named = tuple(dict.fromkeys(each.path for each in extracted.mentions))
        for citation in extracted.citations:
            resolution = self._resolved(citation, document, named)
            if resolution is None:
                continue
            given = names.names(citation, blocks, extracted.citations, extracted.mentions)
            yield Found(citation, given, resolution, record)

    def _resolved(self, citation: Citation, document: Document, named: Sequence[str]) -> Resolution | None:
        """The file that a citation means; None where the text is no citation after all."""
        if citation.form is Form.LINK:
            return Resolution((citation.file,), (), True) if links.here(citation, self.remote, self.tree) else None
        found = resolve(citation.file, document.path, citation.line, self.tree, named)
        if document.zone(citation.start) is Zone.PROSE:
            return found
        # In code blocks and string literals paths are mostly samples: only one that leads to a file counts.
        spelt = "/" in citation.file or document.zone(citation.start) is Zone.MESSAGE
        return found if found.path is not None and spelt else None

    def judged(self, found: Sequence[Found]) -> list[Judged]:
        """The verdicts, in the order of documents and places.

        They are reached file by file of the code, so that each is read and outlined once.
        """
        targets = {each.citation: path for each in found if (path := self._target(each)) is not None}
        keys = ledger.keys(each.citation for each in found) if self.ledger else {}
        known: dict[Citation, consensus.Known] = {}
        verdicts = []
        for some, traces in self._traced(found, targets):
            for each in some:
                case = self._case(each, targets.get(each.citation), traces.get(each.citation))
                entry = self.ledger.get(keys[each.citation]) if self.ledger else None
                if case is not None:
                    known[each.citation] = consensus.Known.of(case)
                verdicts.append(replace(self._verdict(each, case, entry), record=each.record))
                self.options.tell(len(verdicts), len(found), "citations judged")
        agreed = consensus.agreed(self.gone.answered(verdicts), known)
        return order.placed(sorted(agreed, key=lambda verdict: verdict.citation.span), self._several)

    def _traced(
        self, found: Sequence[Found], targets: Mapping[Citation, str]
    ) -> Iterator[tuple[Sequence[Found], Mapping[Citation, Trace]]]:
        """The citations, those of one file together, with their traces."""
        ordered = sorted(found, key=lambda each: targets.get(each.citation) or each.resolution.path or "")
        if self.history is None:
            yield ordered, {}
            return
        by_citation = {each.citation: each for each in ordered}
        wanted = [Wanted(each.citation, targets[each.citation]) for each in ordered if each.citation in targets]
        yield [each for each in ordered if each.citation not in targets], {}
        for some, traces in self.history.traces(wanted):
            yield [by_citation[each.citation] for each in some], traces

    def _target(self, found: Found) -> str | None:
        """The file of which a citation means lines, by whatever name it goes now."""
        citation, resolution = found.citation, found.resolution
        if citation.line is None or citation.pinned:
            return None
        if resolution.path is not None or resolution.paths:
            return resolution.path
        if resolution.short:
            return resolution.short[0] if len(resolution.short) == 1 else None
        gone = self.gone.file(citation.file, citation.span.path)
        return None if gone is None else gone.now

    def _case(self, found: Found, path: str | None, trace: Trace | None) -> judge.Case | None:
        citation = found.citation
        lines = None if path is None else self.tree.lines(path)
        if path is None or lines is None or citation.line is None or citation.end_line is None:
            return None
        outline = self._outline("", path, lines)
        case = judge.Case(citation, path, citation.line, citation.end_line, found.names, outline, trace)
        named = found.names.ties or found.names.near or found.names.quotes
        if trace is None or not named:
            return case
        return replace(case, then=self._outline(trace.commit, path, trace.then))

    def _verdict(self, found: Found, case: judge.Case | None, entry: ledger.Entry | None) -> Judged:
        citation, resolution = found.citation, found.resolution
        if case is not None and not resolution.paths and not resolution.short:
            return self._renamed(found, case)
        if case is not None:
            verdict = judge.judge(case) if entry is None else judge_adopted(case, entry)
            verdict = verdict if self.before is None else self.before.judged(verdict, case)
            if verdict.proposed is None and verdict.status in order.OPEN and (places := order.places(case)):
                self._several[case.citation] = places
            return self._searched(verdict, case)
        if citation.pinned:
            return self._pinned(citation)
        if citation.form is Form.SYMBOL and resolution.path is not None:
            lines = self.tree.lines(resolution.path)
            if lines is not None:
                verdict = judge.judge_symbol(citation, resolution.path, self._outline("", resolution.path, lines))
                return self._symbol_elsewhere(verdict)
        return self._without_case(found)

    def _searched(self, verdict: Judged, case: judge.Case) -> Judged:
        """With a hint where a tied name went that isn't in the file any more."""
        lost = verdict.status in (CitationStatus.CHANGED, CitationStatus.PAST_END, CitationStatus.MISMATCH)
        if not lost or verdict.proposed is not None:
            return verdict
        suffix = PurePosixPath(case.path).suffix
        if case.trace is not None and case.trace.first is None:
            self.gone.ask_line(case.citation, case.trace.then[case.first - 1], suffix)
        self.gone.ask(case.citation, [tie.name for tie in case.names.ties[:2]], suffix)
        return verdict

    def _symbol_elsewhere(self, verdict: Judged) -> Judged:
        if verdict.status is not CitationStatus.MISSING or verdict.target is None or verdict.target.symbol is None:
            return verdict
        self.gone.ask(verdict.citation, [verdict.target.symbol], PurePosixPath(verdict.target.path).suffix)
        return verdict

    def _renamed(self, found: Found, case: judge.Case) -> Judged:
        """The file has another name now: the line is looked for there, and only shown."""
        gone = self.gone.file(found.citation.file, found.citation.span.path)
        assert gone is not None
        verdict = judge.judge(case)
        proposed = verdict.proposed or (verdict.target if verdict.status is CitationStatus.OK else Target(case.path))
        evidence = (gone.evidence, *verdict.evidence)
        target = Target(gone.path, case.first, case.last)
        return Judged(found.citation, target, CitationStatus.MISSING, verdict.confidence, evidence, proposed)

    def _pinned(self, citation: Citation) -> Judged:
        """A permalink of a commit: its lines never change, if they ever were."""
        revision = (citation.revision or "").rpartition("@")[2]
        blob = self.tree.git.blob(revision, citation.file) if self.tree.git is not None else None
        target = Target(citation.file, citation.line, citation.end_line)
        if blob is None:
            text = f"commit {revision[:10]} isn't here"
            return judge.without_file(citation, CitationStatus.UNKNOWN, [Evidence("file", text)], target)
        length = len(blob.splitlines())
        there = (citation.end_line or 0) <= length
        evidence = Evidence("file", f"{citation.file} has {length} lines at commit {revision[:10]}")
        status = CitationStatus.OK if there else CitationStatus.PAST_END
        return Judged(citation, target, status, Confidence.STRONG, (evidence,))

    def _without_case(self, found: Found) -> Judged:
        citation, resolution = found.citation, found.resolution
        paths = resolution.paths or resolution.short
        if len(paths) > 1:
            shown = ", ".join(paths[:4]) + (f" and {len(paths) - 4} more" if len(paths) > 4 else "")
            past_end = CitationStatus.PAST_END if citation.sure else CitationStatus.UNKNOWN
            # A bare name in a comment that several files have is more often a sample than a citation.
            bare = PurePosixPath(citation.span.path).suffix[1:].lower() in CODE and "/" not in citation.file
            unclear = CitationStatus.UNKNOWN if bare or not citation.sure else CitationStatus.AMBIGUOUS
            status = unclear if resolution.paths else past_end
            text = f"may be any of {shown}" if resolution.paths else f"all too short: {shown}"
            return judge.without_file(citation, status, [Evidence("file", text)], None)
        if paths:
            text = f"{paths[0]} can't be read as text"
            return judge.without_file(citation, CitationStatus.UNKNOWN, [Evidence("file", text)], Target(paths[0]))
        return self._missing(found)

    def _missing(self, found: Found) -> Judged:
        """No such file: an error only where it was here once, or must be."""
        citation = found.citation
        gone = self.gone.file(citation.file, citation.span.path)
        if gone is not None:
            suffix = PurePosixPath(citation.file).suffix
            self.gone.ask(citation, [tie.name for tie in found.names.ties[:2]], suffix)
            target = Target(gone.path, citation.line, citation.end_line, citation.symbol)
            verdict = judge.without_file(citation, CitationStatus.MISSING, [gone.evidence], target)
            return replace(verdict, confidence=Confidence.FAIR)
        if found.resolution.here and citation.sure and not self.gone.known and citation.form is not Form.SYMBOL:
            evidence = Evidence("file", f"no file {citation.file} here, though its folder is")
            return judge.without_file(citation, CitationStatus.MISSING, [evidence], None)
        never = "here, nor was there ever" if self.gone.known else "here; it may belong to another project"
        evidence = Evidence("file", f"no file {citation.file} {never}")
        return judge.without_file(citation, CitationStatus.UNKNOWN, [evidence], None)

    def _outline(self, commit: str, path: str, lines: Sequence[str]) -> Outline:
        key = commit, path
        if key not in self._outlines:
            self._outlines[key] = Outline(path, lines)
            if len(self._outlines) > _KEPT_OUTLINES:
                self._outlines.popitem(last=False)
        self._outlines.move_to_end(key)
        return self._outlines[key]
