"""Hooks for mkdocs: pages for the files outside docs/ that pages link to, and syntax highlighting for .dip.

In the repository ``[svt1](../programs/svt/svt1.dip)`` leads to the file.  The site does not contain that
file, so each linked file becomes a page of its own, with its text highlighted.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from importlib import import_module
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pygments.lexers import LEXERS

ROOT = Path(__file__).resolve().parents[2]
log = logging.getLogger("mkdocs.hooks")

# The site shows this dipc, installed or not, so the lexer is registered here and not by its entry point.
sys.path.insert(0, str(ROOT))
LEXERS["DipLexer"] = ("dipc.editors.pygments_lexer", "dipc", ("dip",), ("*.dip",), ())

LINK = re.compile(r"\]\(\.\./([^)#\s]+)")
LANGUAGES = {
    ".py": "python",
    ".dip": "dip",
    ".dpm": "text",
    ".hmm": "text",
    ".toml": "toml",
    ".lark": "text",
    ".json": "json",
    ".yml": "yaml",
}


def page_of(target: str) -> str:
    """The page that shows a file of the repository."""
    return f"source/{target.rstrip('/')}.md"


def text_of(target: str) -> str:
    """The content of that page: a list of the files in a folder, or the text of a file."""
    path = ROOT / target
    if path.is_dir():
        names = "\n".join(f"- `{child.name}`" for child in sorted(path.iterdir()) if child.is_file())
        return f"# {target}\n\n{names}\n"
    text = path.read_text(encoding="utf-8")
    fence = "`" * (3 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
    return f"# {target}\n\n{fence}{LANGUAGES.get(path.suffix, 'text')}\n{text}{fence}\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every file that a page links to."""
    found: set[str] = set()
    for file in files.documentation_pages():
        found |= set(LINK.findall(file.content_string))
    for target in sorted(found):
        files.append(File.generated(config, page_of(target), content=text_of(target)))
    for name in reports():
        log.info("report of %s", name)
        files.append(File.generated(config, f"reports/{name}.html", content=report(name)))
    return files


def reports() -> list[str]:
    """The programs whose reports the site includes: DIPC_REPORTS=all (takes minutes), or a list of names."""
    wanted = os.environ.get("DIPC_REPORTS", "")
    shipped = import_module("dipc.shipped")
    known = sorted(shipped.paths().keys() - shipped.every_size_programs().keys())  # a report is of one size
    return known if wanted == "all" else [name for name in known if name in wanted.split(",")]


def report(name: str) -> str:
    """The page that `dipc report` writes."""
    dipc = import_module("dipc")  # found through the path above
    return str(dipc.report_html(dipc.load(name)))


def with_reports(markdown: str) -> str:
    """The gallery with a link to each report."""
    for name in reports():
        heading = f"### {name}\n"
        markdown = markdown.replace(heading, f"{heading}\n[Full report](reports/{name}.html)\n", 1)
    return markdown


FENCES = {
    "dip-broken": "dip",
    "dip-part": "dip",
    "lark": "text",
    "dpm": "text",
    "dpm-broken": "text",
    "hmm": "text",
}
"""How to highlight blocks whose names only matter to the tests."""


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Redirect links to the generated pages, and highlight every block."""
    if page.file.src_uri == "gallery.md":
        markdown = with_reports(markdown)
    markdown = LINK.sub(lambda link: f"]({page_of(link[1])}", markdown)
    return re.sub(
        r"^```([\w-]+)$", lambda fence: f"```{FENCES.get(fence[1], fence[1])}", markdown, flags=re.M
    )
