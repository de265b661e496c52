#!/usr/bin/env python3
"""Renders what a command prints on a terminal as an SVG picture.

Usage: render.py --output FILE --title TEXT [--columns N] -- COMMAND ARGS..

The command runs on a pseudo-terminal of the given width, so that it prints exactly what a reader would see. Colours and
layout come from its own output; `rich` (in target/venv, see .ci/install) turns them into SVG.
"""

import argparse
import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import termios

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

# Dark background, readable on light and dark pages alike.
THEME = TerminalTheme(
    (24, 26, 31),
    (214, 218, 226),
    [(40, 44, 52), (224, 108, 117), (152, 195, 121), (229, 192, 123),
     (97, 175, 239), (198, 120, 221), (86, 182, 194), (171, 178, 191)],
    [(92, 99, 112), (240, 128, 136), (170, 215, 140), (240, 205, 140),
     (120, 190, 250), (215, 140, 235), (100, 200, 210), (230, 233, 240)],
)

# rich's own template names a font on a server; a document's picture must not load anything.
FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 16px; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def output_on_terminal(command: list[str], columns: int) -> str:
    """Everything that the command writes to a terminal of this width."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    # The terminal's width counts, not what the caller's shell exported.
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
    environment["TERM"] = "xterm-256color"
    child = subprocess.Popen(command, stdout=follower, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                             env=environment)
    os.close(follower)
    collected = bytearray()
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the last writer has closed the terminal
            break
        if not part:
            break
        collected += part
    if child.wait() != 0:
        sys.exit(f"{command[0]} exited with {child.returncode}")
    return collected.decode("utf-8", "replace").replace("\r\n", "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True)
    parser.add_argument("--title", required=True)
    parser.add_argument("--columns", type=int, default=120)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    text = Text.from_ansi(output_on_terminal(arguments.command, arguments.columns).rstrip("\n"))
    console = Console(record=True, width=arguments.columns, file=io.StringIO(), color_system="truecolor")
    console.print(text, soft_wrap=True)
    console.save_svg(arguments.output, title=arguments.title, theme=THEME, code_format=FORMAT,
                     unique_id="terminal")


if __name__ == "__main__":
    main()
