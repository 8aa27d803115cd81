# SPDX-License-Identifier: Apache-2.0
"""One page with the plots and the tables, without any other file."""

import html
import itertools
import re

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
svg { width: 100%; height: auto }
.table { overflow-x: auto; margin-bottom: 1.5rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
code { background: #f2f2f2; padding: 0 .2em }
"""


def _inline(text):
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\*([^*]+)\*", r"<i>\1</i>", text)


def _table(lines):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    del rows[1]  # the line of dashes
    tags = itertools.chain(["th"], itertools.repeat("td"))
    body = ["<tr>" + "".join(f"<{tag}>{_inline(cell)}</{tag}>" for cell in row) + "</tr>" for tag, row in zip(tags, rows)]
    return ['<div class="table"><table>', *body, "</table></div>"]


def _kind(line):
    return next((mark for mark in ("|", "- ", "# ", "## ") if line.startswith(mark)), "")


def _to_html(markdown):
    """For what tables.py writes: headings, tables, lists and paragraphs of one line."""
    lines = []
    for kind, group in itertools.groupby((line for line in markdown.splitlines() if line), _kind):
        group = list(group)
        if kind == "|":
            # Tables that follow each other have a line of dashes each.
            starts = [i - 1 for i, line in enumerate(group) if line.startswith("|---")] + [len(group)]
            for begin, end in itertools.pairwise(starts):
                lines += _table(group[begin:end])
        elif kind == "- ":
            lines += ["<ul>", *(f"<li>{_inline(line[2:])}</li>" for line in group), "</ul>"]
        elif kind:
            tag = f"h{len(kind) - 1}"
            lines += [f"<{tag}>{_inline(line[len(kind):])}</{tag}>" for line in group]
        else:
            lines += [f"<p>{_inline(line)}</p>" for line in group]
    return lines


def _svg(path):
    """The drawing without the lines that only a file of its own has. Names in it are made its own."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg") :]
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{path.stem}-", text)


def write_page(path, markdown, plots):
    title, _, rest = markdown.partition("\n")
    lines = [
        "<!doctype html>", '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title.lstrip('# '))}</title><style>{STYLE}</style></head><body>",
        *_to_html(title), *map(_svg, plots), *_to_html(rest), "</body></html>",
    ]  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
