"""`eqtrace schema`."""

from __future__ import annotations

from pathlib import Path

import click

from eqtrace.cli.options import SETTINGS

_HELP = """Prints the JSON Schema of specification files, for editors and other programs.

With --pages, that of the file of pages; with --results, that of the JSON report; with --reference, the schema as a page
for people, in Markdown. Reads no project, runs nothing.

\b
Examples:
  eqtrace schema --output-file spec.schema.json
  eqtrace schema --results
  eqtrace schema --reference --output-file docs/specification.md
"""


@click.command(
    help=_HELP, short_help="The JSON Schema of the specification, or of the report.", context_settings=SETTINGS
)
@click.option("--pages", is_flag=True, help="The schema of the file of pages.")
@click.option("--results", is_flag=True, help="The schema of the JSON report.")
@click.option("--reference", is_flag=True, help="Every key with its meaning and an example, in Markdown.")
@click.option(
    "--output-file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="Write it there instead."
)
def schema(pages: bool, results: bool, reference: bool, output_file: Path | None) -> int:
    """Prints or writes a schema."""
    makers = {"--pages": (pages, _of_pages), "--results": (results, _of_results), "--reference": (reference, _as_page)}
    asked = [name for name, (wanted, _) in makers.items() if wanted]
    if len(asked) > 1:
        raise click.UsageError(f"{' and '.join(asked)}: ask for one")
    content = makers[asked[0]][1]() if asked else _of_specification()
    if output_file is None:
        click.echo(content, nl=False)
    else:
        from eqtrace.cli import output

        output.save(output_file, content)
    return 0


def _of_results() -> str:
    from eqtrace.report import json

    return json.schema()


def _of_pages() -> str:
    import json

    from eqtrace.spec.schema import pages_schema

    return json.dumps(pages_schema(), indent=2, ensure_ascii=False) + "\n"


def _of_specification() -> str:
    import json

    from eqtrace.spec.schema import json_schema

    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _as_page() -> str:
    from eqtrace.report.reference import reference

    return reference()
