"""``dipc completion``: completion with the Tab key."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from dipc.cli.terminal import say

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_DIPC_COMPLETE"


@click.command(
    short_help="Teach a shell to complete commands and names.",
    epilog="""\b
Examples:
  dipc completion bash >> ~/.bashrc
  dipc completion zsh >> ~/.zshrc
  dipc completion fish > ~/.config/fish/completions/dipc.fish
""",
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print a script that teaches a SHELL to complete commands, options, programs and files."""
    kind = get_completion_class(shell)
    assert kind is not None
    # The script of bash is printed without asking the bash at hand for its version, which click would do.
    script = kind(context.find_root().command, {}, "dipc", VARIABLE)
    say(script.source_template % script.source_vars())
    return 0
