# SPDX-License-Identifier: Apache-2.0
"""What the programs behind ./dev bench share: options, running a measuring program, the page in docs/."""

import argparse
import datetime
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/rbd_parallel_core/benchmark"


class BenchError(Exception):
    """Something the user can act on."""


def parser(mode, description, binary=None, out=None, quick=None, update_docs=False):
    """The options that several modes have, each where it is named. mode: "" or as in "--tree"; binary: what measures;
    out: the folder below build/, and the name of the file that `--from` takes; quick: what --quick leaves out."""
    made = argparse.ArgumentParser(prog=f"./dev bench {mode}".strip(), description=description.splitlines()[0])
    if binary:
        made.add_argument("--binary", metavar="FILE", default=binary, help=f"another built {binary.name}")
    if quick:
        made.add_argument("--quick", action="store_true", help=quick)
    if out:
        made.add_argument("--out", metavar="FOLDER", type=pathlib.Path, default=ROOT / "build" / out, help=f"default: build/{out}")
        made.add_argument("--from", metavar="FILE", type=pathlib.Path, dest="source",
                          help=f"write it from this {out}.json, without measuring")  # fmt: skip
    if update_docs:
        made.add_argument("--update-docs", action="store_true", help="put tables and plots into docs/")
    return made


def numbers(made, option, text):
    """The whole numbers of "1,2"; says what is wrong with others."""
    try:
        return [int(number) for number in text.split(",") if number]
    except ValueError:
        made.error(f"{option}: expected whole numbers with commas between them, got '{text}'")


def conditions():
    """What a reader of the figures must know of the machine."""
    return {
        "cpu": machine.cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
    }


def command(mode=""):
    """What the user typed."""
    return shlex.join(["./dev", "bench", *filter(None, [mode]), *sys.argv[1:]])


def run_binary(binary, *words, **options):
    """Runs a program that writes its report to --json FILE; its progress goes to stderr. Returns that report, and what it
    wrote to stdout if `options` of subprocess.run have that kept."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        words = [str(binary), *map(str, words), "--json", str(result)]
        done = subprocess.run(words, text=True, check=False, **options)
        if done.returncode != 0:
            raise BenchError(f"{shlex.join(words)} failed with exit code {done.returncode}")
        return json.loads(result.read_text(encoding="utf-8")), done.stdout


def sized(sizes):
    """Numbers of bodies for each part, as options."""
    return [word for part, bodies in sizes.items() for word in (f"--{part}", ",".join(map(str, bodies)))]


def kept(report, folder, name):
    """Writes the report to a file of the folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(report), encoding="utf-8")


def replace_section(page, name, text):
    """The page with the text between the marks of that name."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise BenchError(f"expected one line {begin.strip()} and one line {end.strip()}")
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n{text.strip()}\n\n{end}{rest.partition(end)[2]}"


def update_page(path, sections, plots=(), folder=None):
    """Puts each section between its marks, and the plots of the folder beside the page."""
    page = path.read_text(encoding="utf-8")
    for name, text in sections.items():
        page = replace_section(page, name, text)
    path.write_text(page, encoding="utf-8")
    for name in plots:
        shutil.copy(folder / name, path.parent)


def measured(arguments, measure):
    """What `measure` gives, or an earlier report if --from names one."""
    if arguments.source:
        return json.loads(arguments.source.read_text(encoding="utf-8"))
    return measure()


def run(main):
    """Calls main(); returns the exit code, after it has said what went wrong."""
    try:
        main()
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


def write_docs(name, arguments, report, write_all, page):
    """The end of a mode that has a page: prints the Markdown, and puts it there if asked."""
    sections, plots = write_all(report, arguments.out)
    print((arguments.out / f"{name}.md").read_text(encoding="utf-8"))
    if arguments.update_docs:
        update_page(page, sections, plots, arguments.out)
    print(f"written to {arguments.out}: {name}.md, {name}.json, {', '.join(plots)}", file=sys.stderr)
