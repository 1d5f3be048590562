"""What other tools read: `equations.json`, one document an equation, a Sphinx inventory, and a map of the site."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import escape

from eqtrace import __version__
from eqtrace.cache import digest
from eqtrace.model.anchor import Anchor, Status
from eqtrace.model.equation import Equation
from eqtrace.model.symbol import Symbol
from eqtrace.model.topic import Topic
from eqtrace.report.drafts import Draft, fixed
from eqtrace.report.mathml import LatexUnreadable, convert
from eqtrace.report.rows import EquationRow, MethodRow, executions
from eqtrace.report.view.dependencies import equation_edges
from eqtrace.report.view.places import (
    COVERAGE,
    DEPENDENCIES,
    INDEX,
    MATRIX,
    NOTATION,
    REFERENCE,
    distinct,
)
from eqtrace.report.view.topic import Site
from eqtrace.report.words import slug

ALL, SCHEMA, INVENTORY, MAP = "equations.json", "equations.schema.json", "objects.inv", "sitemap.xml"
_ROOT = ""  # addresses of the documents are relative to the site's folder


def documents(site: Site) -> Iterator[tuple[str, Draft]]:
    """Every such file by its path. The map is written only where the site's own address is configured."""
    equations = list(_equations(site))
    names = distinct([slug(each["id"]).replace(":", "-") for each in equations])
    for name, equation in zip(names, equations, strict=True):
        equation["document"] = f"equations/{name}.json"
    frame = {"eqtrace": __version__, "title": site.config.site.title, "commit": site.host.commit if site.host else None}
    yield ALL, _draft({"$schema": SCHEMA, **frame, "equations": equations})
    for equation in equations:
        yield equation["document"], _draft({"$schema": f"../{SCHEMA}", **frame, "equations": [equation]})
    yield SCHEMA, fixed(schema().encode())
    yield INVENTORY, fixed(inventory(site))
    if site.config.site.url is not None:
        yield MAP, fixed(_map(site, site.config.site.url).encode())


def schema() -> str:
    """The JSON Schema of `equations.json`, as committed."""
    return files("eqtrace.report").joinpath("equations.schema.json").read_text(encoding="utf-8")


def _draft(data: Mapping[str, Any]) -> Draft:
    return Draft(digest(repr(data)), lambda: _json(data))


def _json(data: Mapping[str, Any]) -> bytes:
    return (json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "replace")


def _equations(site: Site) -> Iterator[dict[str, Any]]:
    rows = {row.id: row for row in site.report.equations}
    below: dict[str, list[str]] = {}
    above: dict[str, list[str]] = {}
    for start, end in equation_edges(site.results.specification.equations):
        below.setdefault(start, []).append(end)
        above.setdefault(end, []).append(start)
    codes: dict[str | None, list[str]] = {}
    for finding in site.report.findings:
        codes.setdefault(finding.equation, []).append(finding.code)
    for plan in site.places.pages:
        for topic in plan.topics:
            for equation in topic.equations:
                found = _equation(equation, topic, rows.get(equation.id), site)
                found["rests_on"] = below.get(equation.id, [])
                found["rested_on_by"] = above.get(equation.id, [])
                found["findings"] = codes.get(equation.id, [])
                yield found


def _equation(equation: Equation, topic: Topic, row: EquationRow | None, site: Site) -> dict[str, Any]:
    latex = equation.latex.value if equation.latex else None
    return {
        "id": equation.id,
        "url": site.places.equation(equation.id, _ROOT),
        "topic": topic.id,
        "title": topic.title,
        "label": equation.label,
        "status": topic.status,
        "direction": topic.direction,
        "category": topic.category,
        "derived": equation.derived,
        "latex": latex,
        "mathml": _mathml(latex),
        "form": [statement.value for statement in equation.statements],
        "where": equation.where.value if equation.where else None,
        "verdict": row.verdict if row else None,
        "methods": {name: None if found is None else _method(found) for name, found in row.methods.items()}
        if row
        else dict.fromkeys(equation.methods),
        "symbols": {name: _symbol(symbol) for name, symbol in equation.symbols.items()},
        "anchors": [_anchor(anchor, site) for anchor in equation.anchors],
    }


def _mathml(latex: str | None) -> str | None:
    try:
        return None if latex is None else convert(latex).markup
    except LatexUnreadable:
        return None


def _method(row: MethodRow) -> dict[str, Any]:
    return {
        "verdict": row.verdict,
        "points": row.points,
        "certified": row.certified,
        "seed": row.seed,
        "worst_ulp": row.worst_ulp,
        "worst_at": row.worst_at or None,
        "detail": row.detail,
        "limits": list(row.limits),
        "proof_size": row.proof_size,
    }


def _symbol(symbol: Symbol) -> dict[str, Any]:
    return {
        "meaning": symbol.meaning,
        "code": dict(symbol.code),
        "shape": None if symbol.shape is None else [each.value for each in symbol.shape],
        "parameter": symbol.parameter,
    }


def _anchor(anchor: Anchor, site: Site) -> dict[str, Any]:
    match = site.places.match(anchor)
    path, line = site.places.line_of(anchor)
    end = match.span.end_line if match is not None and match.span is not None else line
    return {
        "id": anchor.id,
        "role": anchor.role.value,
        "purpose": anchor.purpose,
        "path": path,
        "line": line,
        "end_line": end,
        "function": (match.function if match else "") or anchor.function,
        "code": (match.source if match else "") or anchor.code,
        "status": (match.status if match else Status.MISSING).value,
        "executions": executions(anchor, site.results),
        "url": site.places.line(path, line, _ROOT),
        "repository": site.host.line(path, line, end) if site.host is not None else None,
    }


def inventory(site: Site) -> bytes:
    """The site's pages and equations as a Sphinx inventory of version 2.

    An equation is a label by its id and a page a document, so that `:ref:` and `:doc:` lead to them; an equation is one
    for the role of `eqtrace.sphinx` too. The format is that of
    https://www.sphinx-doc.org/en/master/usage/extensions/intersphinx.html: four lines of text, then compressed lines
    of name, domain:role, priority, address and title.
    """
    lines = [_entry(file.removesuffix(".html"), "std:doc", file, title) for file, title in _pages(site)]
    for plan in site.places.pages:
        for topic in plan.topics:
            lines.append(_entry(topic.id, "std:label", site.places.topic(topic.id, _ROOT) or "", topic.title))
            for equation in topic.equations:
                title = " ".join(f"{topic.title}: {equation.label}".split()) if equation.label else equation.id
                address = site.places.equation(equation.id, _ROOT) or ""
                lines.append(_entry(equation.id, "std:label", address, title))
                lines.append(_entry(equation.id, "eqtrace:equation", address, title))
    head = (
        "# Sphinx inventory version 2\n"
        f"# Project: {_one_line(site.config.site.title)}\n"
        "# Version: \n"
        "# The remainder of this file is compressed using zlib.\n"
    )
    return head.encode("utf-8", "replace") + zlib.compress("".join(lines).encode("utf-8", "replace"), 9)


def _entry(name: str, role: str, address: str, title: str) -> str:
    return f"{_one_line(name)} {role} -1 {address} {_one_line(title)}\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _pages(site: Site) -> Iterator[tuple[str, str]]:
    yield INDEX, site.config.site.title
    yield REFERENCE, "Equation reference"
    yield NOTATION, "Notation and shapes"
    yield MATRIX, "Traceability matrix"
    yield DEPENDENCIES, "Dependencies"
    yield COVERAGE, "Coverage"
    yield from ((plan.file, plan.title) for plan in site.places.pages)


def _map(site: Site, url: str) -> str:
    """The site map of https://www.sitemaps.org/protocol.html."""
    addresses = [site.places.page(file, _ROOT) for file, _ in _pages(site)]
    addresses += [site.places.page(file, _ROOT) for file in site.places.sources.values()]
    found = "".join(f"  <url><loc>{escape(f'{url}/{address}')}</loc></url>\n" for address in addresses)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{found}</urlset>\n'
