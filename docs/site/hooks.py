"""What mkdocs does not do by itself: pages for files outside of docs/ that pages link to, and our colours.

In the repository ``[svt1](../programs/svt/svt1.dip)`` leads to the file.  The site has no such file, so
that each file that a page links to becomes a page of its own, with the text highlighted.
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

# The site shows this dipc, whether it is installed or not: so the lexer does not come by its entry point.
sys.path.insert(0, str(ROOT))
LEXERS["DipLexer"] = ("dipc.editors.pygments_lexer", "dipc", ("dip",), ("*.dip",), ())

LINK = re.compile(r"\]\(\.\./([^)#\s]+)")
LANGUAGES = {
    ".py": "python",
    ".dip": "dip",
    ".toml": "toml",
    ".lark": "text",
    ".json": "json",
    ".yml": "yaml",
}


def page_of(target: str) -> str:
    """The page that shows a file of the repository."""
    return f"source/{target.rstrip('/')}.md"


def text_of(target: str) -> str:
    """The page itself: a folder lists its files, a text is shown."""
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
    """The programs whose reports the site shall have: DIPC_REPORTS=all, or some names; it takes minutes."""
    wanted = os.environ.get("DIPC_REPORTS", "")
    known = sorted(import_module("dipc.shipped").paths())
    return known if wanted == "all" else [name for name in known if name in wanted.split(",")]


def report(name: str) -> str:
    """The page that `dipc report` writes."""
    dipc = import_module("dipc")  # found by the path above
    return str(dipc.report_html(dipc.load(name)))


def with_reports(markdown: str) -> str:
    """The gallery with a link to each report."""
    for name in reports():
        heading = f"### {name}\n"
        markdown = markdown.replace(heading, f"{heading}\n[The whole report](reports/{name}.html)\n", 1)
    return markdown


FENCES = {"dip-broken": "dip", "dip-part": "dip", "lark": "text"}
"""How blocks are coloured that the tests tell apart."""


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Let the links lead there, and colour every block."""
    if page.file.src_uri == "gallery.md":
        markdown = with_reports(markdown)
    markdown = LINK.sub(lambda link: f"]({page_of(link[1])}", markdown)
    return re.sub(
        r"^```([\w-]+)$", lambda fence: f"```{FENCES.get(fence[1], fence[1])}", markdown, flags=re.M
    )
