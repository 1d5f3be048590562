"""The domain `eqtrace`: which page shows which equation, which pages name it, and where its role leads."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Set
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from sphinx.domains import Domain, ObjType
from sphinx.roles import XRefRole
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

from eqtrace.sphinx.directive import EquationDirective
from eqtrace.sphinx.shown import Known

if TYPE_CHECKING:
    from docutils.nodes import Element
    from sphinx.addnodes import pending_xref
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)

Use = tuple[str, int, str, bool]
"""A place that names an equation: document, line, the digest of what it showed of it, and whether it is a link."""


class EquationRole(XRefRole):
    """A link to an equation, which notes that its page names it."""

    def process_link(
        self, env: BuildEnvironment, refnode: Element, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        """Notes the use; the target is the id as written."""
        domain = env.get_domain("eqtrace")
        assert isinstance(domain, EquationDomain)
        domain.note_use(target, self.get_source_info()[1], link=True)
        return title, target


class EquationDomain(Domain):
    """Documented equations. `known` are those of the project, for as long as a build lasts."""

    name = "eqtrace"
    label = "eqtrace"
    object_types: ClassVar[dict[str, ObjType]] = {"equation": ObjType("equation", "equation")}
    directives: ClassVar[dict[str, Any]] = {"equation": EquationDirective}
    roles: ClassVar[dict[str, Any]] = {"equation": EquationRole()}
    initial_data: ClassVar[dict[str, Any]] = {"shown": {}, "uses": {}}
    data_version = 1

    known: Known = Known({}, (), ())

    @property
    def shown(self) -> dict[str, tuple[str, str]]:
        """By equation, the document and the element that show it."""
        found: dict[str, tuple[str, str]] = self.data["shown"]
        return found

    @property
    def uses(self) -> dict[str, list[Use]]:
        """By equation, the places that name it."""
        found: dict[str, list[Use]] = self.data["uses"]
        return found

    @property
    def foreign(self) -> Container[str]:
        """The equations of other projects, as far as intersphinx knows them."""
        inventory = getattr(self.env, "intersphinx_inventory", {})
        found: Container[str] = inventory.get("eqtrace:equation", {})
        return found

    def note_use(self, equation: str, line: int, link: bool) -> None:
        """Notes that the document that is being read names an equation."""
        self.uses.setdefault(equation, []).append((self.env.docname, line, self.digest(equation), link))

    def note_shown(self, equation: str, element: str, location: Element) -> None:
        """Notes that the document that is being read shows an equation; links lead to the first place."""
        known = self.shown.setdefault(equation, (self.env.docname, element))
        if known != (self.env.docname, element):
            message = "%s is shown in %s too; write :no-index: there or here"
            logger.warning(message, equation, known[0], location=location, type="eqtrace", subtype="twice")

    def digest(self, equation: str) -> str:
        """What stands for everything that pages show of an equation; '' where there is none of that id."""
        found = self.known.equations.get(equation)
        return found.digest if found is not None else ""

    def clear_doc(self, docname: str) -> None:
        """Forgets what a document shows and names."""
        for equation, place in list(self.shown.items()):
            if place[0] == docname:
                del self.shown[equation]
        for equation, uses in list(self.uses.items()):
            kept = [use for use in uses if use[0] != docname]
            if kept:
                self.uses[equation] = kept
            else:
                del self.uses[equation]

    def merge_domaindata(self, docnames: Set[str], otherdata: dict[str, Any]) -> None:
        """Takes over what another process noted of documents that it read."""
        for equation, place in otherdata["shown"].items():
            if place[0] in docnames:
                first = self.shown.setdefault(equation, place)
                if first != place:
                    message = "%s is shown in %s too; write :no-index: there or here"
                    logger.warning(message, equation, first[0], location=place[0], type="eqtrace", subtype="twice")
        for equation, uses in otherdata["uses"].items():
            self.uses.setdefault(equation, []).extend(use for use in uses if use[0] in docnames)

    def resolve_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: pending_xref,
        contnode: Element,
    ) -> nodes.reference | None:
        """The page that shows the equation, else the site of eqtrace; what is neither, intersphinx may know."""
        known = self.known.equations.get(target)
        hint = f"{known.title or known.id}: {known.word}" if known is not None else target
        if known is not None:
            contnode["classes"] = [*contnode.get("classes", []), f"eqtrace-{known.verdict}"]
        if target in self.shown:
            docname, element = self.shown[target]
            return make_refnode(builder, fromdocname, docname, element, contnode, hint)
        if known is not None and known.site is not None:
            return nodes.reference("", "", contnode, internal=False, refuri=known.site, reftitle=hint)
        return None

    def resolve_any_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        target: str,
        node: pending_xref,
        contnode: Element,
    ) -> list[tuple[str, nodes.reference]]:
        """The same for the role `any`: only of pages that show the equation."""
        if target not in self.shown:
            return []
        found = self.resolve_xref(env, fromdocname, builder, "equation", target, node, contnode)
        return [] if found is None else [("eqtrace:equation", found)]

    def get_objects(self) -> Iterable[tuple[str, str, str, str, str, int]]:
        """What the inventory of the documentation lists."""
        return self._objects()

    def _objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        for equation, (docname, element) in self.shown.items():
            yield equation, equation, "equation", docname, element, 1
