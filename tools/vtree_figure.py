# SPDX-License-Identifier: Apache-2.0
"""Draws docs/vtree.svg: a tree, its Euler tour, and two scans along it. Run it after a change: python3 tools/vtree_figure.py"""

import itertools
import pathlib

PARENTS = [None, 0, 0, 1, 1, 2]
PLACES = {0: (400, 48), 1: (250, 128), 2: (550, 128), 3: (160, 208), 4: (340, 208), 5: (550, 208)}
ENTER, LEAVE, READ, INK, PAPER = "#1f6f8b", "#c2571a", "#fff1b8", "#222222", "#ffffff"
LEFT, TOP, CELL, ROW = 152, 276, 50, 30


def euler_tour(node=0):
    """The steps of the tour as pairs: node, and whether it is entered."""
    yield node, True
    for child in (i for i, parent in enumerate(PARENTS) if parent == node):
        yield from euler_tour(child)
    yield node, False


def text(x, y, words, colour=INK, size=14, anchor="middle", weight="normal"):
    return (
        f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{words}</text>'
    )


def tree(lp, rp):
    for child, parent in enumerate(PARENTS):
        if parent is not None:
            (x1, y1), (x2, y2) = PLACES[parent], PLACES[child]
            yield f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#888888" stroke-width="2"/>'
    for node, (x, y) in PLACES.items():
        yield f'<circle cx="{x}" cy="{y}" r="20" fill="{PAPER}" stroke="{INK}" stroke-width="2"/>'
        yield text(x, y + 6, node, size=17, weight="bold")
        yield text(x - 28, y + 5, f"lp {lp[node]}", ENTER, anchor="end")
        yield text(x + 28, y + 5, f"rp {rp[node]}", LEAVE, anchor="start")


def table_row(row, title, cells, colours=None, marked=()):
    y = TOP + row * ROW
    yield text(LEFT - 12, y + 20, title, anchor="end")
    for step, cell in enumerate(cells):
        x = LEFT + step * CELL
        fill = READ if step in marked else PAPER
        yield f'<rect x="{x}" y="{y}" width="{CELL}" height="{ROW}" fill="{fill}" stroke="#bbbbbb"/>'
        yield text(x + CELL / 2, y + 20, cell, colours[step] if colours else INK)


def exclusive_scan(numbers):
    return [0, *itertools.accumulate(numbers)][:-1]


def signed(number):
    return f"{number:+d}".replace("-", "\N{MINUS SIGN}") if number else "0"


def figure():
    tour = list(euler_tour())
    nodes = range(len(PARENTS))
    lp = [tour.index((i, True)) for i in nodes]
    rp = [tour.index((i, False)) for i in nodes]
    colours = [ENTER if entered else LEAVE for _, entered in tour]
    opened = [1 if entered else -1 for _, entered in tour]
    entered_once = [1 if entered else 0 for _, entered in tour]

    yield from tree(lp, rp)
    yield from table_row(0, "step", range(len(tour)))
    names = [f"in {i}" if entered else f"out {i}" for i, entered in tour]
    yield from table_row(1, "tour", names, colours)
    yield from table_row(2, "rootfix: data", map(signed, opened), colours)
    yield from table_row(3, "scan", exclusive_scan(opened), marked=lp)
    y = TOP + 4 * ROW + 20
    yield text(LEFT, y, "read at lp: the depth of each node", anchor="start")
    yield from table_row(5, "ileaffix: data", map(signed, entered_once), colours)
    yield from table_row(6, "scan", exclusive_scan(entered_once), marked=range(len(tour)))
    y = TOP + 7 * ROW + 20
    yield text(LEFT, y, "read at rp, minus read at lp: the size of each subtree", anchor="start")


def main():
    shapes = "\n".join(figure())
    page = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 520" width="780" height="520" '
        f'font-family="sans-serif">\n<rect width="780" height="520" fill="{PAPER}"/>\n{shapes}\n</svg>\n'
    )
    target = pathlib.Path(__file__).resolve().parent.parent / "docs" / "vtree.svg"
    target.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
