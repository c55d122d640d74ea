"""Hooks for mkdocs: pages for the files outside docs/ that pages link to, and syntax highlighting for .dip.

In the repository ``[svt1](../programs/svt/svt1.dip)`` leads to the file.  The site does not contain that
file, so each linked file becomes a page of its own, with its text highlighted.  The page of a shipped program
or model also says what it is and has its row of the gallery; those in the environment variable DIPC_REPORTS
(names, or ``all``, which takes minutes) have their answers in detail and, if they are programs, their report.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pygments.lexers import LEXERS

ROOT = Path(__file__).resolve().parents[2]
log = logging.getLogger("mkdocs.hooks")

# The site shows this dipc, installed or not.
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "site")]

import api  # noqa: E402
import gallery  # noqa: E402
import hmm_reference  # noqa: E402
import language_reference  # noqa: E402

import dipc  # noqa: E402
from dipc import shipped  # noqa: E402

# Registered here and not by its entry point, because dipc need not be installed.
LEXERS["DipLexer"] = ("dipc.dipwhile.editors.pygments_lexer", "dipc", ("dip",), ("*.dip",), ())

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
    """The page that shows a file of the repository; the README is the first page."""
    return "index.md" if target == "README.md" else f"source/{target.rstrip('/')}.md"


def text_of(target: str) -> str:
    """The content of that page: a list of the files in a folder, a shipped program, or the text of a file."""
    path = ROOT / target
    if path.suffix in (".dip", ".dpm", ".hmm") and path.is_relative_to(ROOT / "programs"):
        link = f"[Full report](../../../reports/{path.stem}.html)\n" if path.stem in reports() else ""
        return f"{gallery.page_of(path, wanted(path.stem))}\n{link}"
    if path.is_dir():
        names = "\n".join(f"- `{child.name}`" for child in sorted(path.iterdir()) if child.is_file())
        return f"# {target}\n\n{names}\n"
    text = path.read_text(encoding="utf-8")
    fence = "`" * (3 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
    return f"# {target}\n\n{fence}{LANGUAGES.get(path.suffix, 'text')}\n{text}{fence}\n"


def first_page() -> str:
    """The README, with the links that a page in docs/ has; `D[1, 0](X f)` in its code is not a link."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"\]\((?=[A-Z]+(\.md)?\))", "](../", text)
    return re.sub(r"\]\(docs/", "](", text)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the README as the first page, and a page for every file that a page links to."""
    files.append(File.generated(config, "index.md", content=first_page()))
    files.append(File.generated(config, "api.md", content=api.page()))
    found: set[str] = set()
    for file in files.documentation_pages():
        found |= set(LINK.findall(file.content_string))
    for target in sorted(found - {"README.md"}):
        files.append(File.generated(config, page_of(target), content=text_of(target)))
    for name in reports():
        log.info("report of %s", name)
        files.append(File.generated(config, f"reports/{name}.html", content=report(name)))
    return files


def wanted(name: str) -> bool:
    """Whether the site has the answers of this program or model in detail."""
    names = os.environ.get("DIPC_REPORTS", "")
    return names == "all" or name in names.split(",")


def reports() -> list[str]:
    """The programs whose reports the site includes."""
    names = shipped.paths().keys() - shipped.every_size_programs().keys()  # a report is of one size
    return sorted(filter(wanted, names))


def report(name: str) -> str:
    """The page that `dipc report` writes."""
    return dipc.report_html(dipc.load(name))


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
    """Redirect links to the generated pages, make the reference of the language, highlight every block."""
    for reference in (language_reference, hmm_reference):
        markdown = markdown.replace(reference.PLACE, reference.written())
    if not page.file.src_uri.startswith("source/"):
        markdown = LINK.sub(lambda link: f"]({page_of(link[1])}", markdown)
    return re.sub(
        r"^```([\w-]+)$", lambda fence: f"```{FENCES.get(fence[1], fence[1])}", markdown, flags=re.M
    )
