"""What mkdocs does not do by itself: pages for files outside of docs/ that pages link to, and our colours.

In the repository ``[svt1](../programs/svt/svt1.dip)`` leads to the file.  The site has no such file, so
that each file that a page links to becomes a page of its own, with the text highlighted.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from pygments.lexers import LEXERS

ROOT = Path(__file__).resolve().parents[2]

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
    return files


FENCES = {"dip-broken": "dip", "dip-part": "dip", "lark": "text"}
"""How blocks are coloured that the tests tell apart."""


def on_page_markdown(markdown: str, **_: object) -> str:
    """Let the links lead there, and colour every block."""
    markdown = LINK.sub(lambda link: f"]({page_of(link[1])}", markdown)
    return re.sub(
        r"^```([\w-]+)$", lambda fence: f"```{FENCES.get(fence[1], fence[1])}", markdown, flags=re.M
    )
