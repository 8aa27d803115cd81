# SPDX-License-Identifier: Apache-2.0
"""Which lines the tests ran: an HTML report, and a table of folders. Ends with 1 where a package is below what it must have.

    coverage.py BUILD [--judge PERCENT]

BUILD holds a build with --coverage, whose tests have been run; the report goes to BUILD/html.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORE, NODE, STANDIN = "rbd_parallel_core", "rbd_parallel_ros", "rbd_parallel_ros/rclcpp_standin"
# The first parts that fit a file give its package and its folder.
FOLDERS = [
    (CORE, f"{CORE}/include/{CORE}/testing"),
    (CORE, f"{CORE}/include"),
    (CORE, f"{CORE}/src"),
    ("Python module", f"{CORE}/python/src"),
    ("stand-in", f"{STANDIN}/include"),
    ("stand-in", f"{STANDIN}/src"),
    (NODE, f"{NODE}/include"),
    (NODE, f"{NODE}/src"),
    (NODE, f"{NODE}/plugins"),
    ("example", f"{NODE}/examples"),
]
JUDGED = [CORE, NODE]


def measure(build):
    """Runs gcovr; returns {file: what it says of its lines}."""
    html, lines = build / "html", build / "lines.json"
    html.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "gcovr", "--root", ROOT, "--gcov-executable", "gcov"]
    # A line may well run more than 2^32 times.
    command += ["--gcov-suspicious-hits-threshold", "0", "--merge-mode-functions", "separate", "--exclude-noncode-lines"]
    for _, folder in FOLDERS:
        command += ["--filter", f"{ROOT}/{folder}/"]
    command += ["--html-details", html / "index.html", "--json", lines, build]
    subprocess.run(command, check=True, cwd=build)
    return {file["file"]: file["lines"] for file in json.loads(lines.read_text())["files"]}


def count(lines):
    """(covered, all) by source line. gcovr lists a line of a template once for each of its types; here it is one line, and
    run if it is run for one of them."""
    run = {}
    for line in lines:
        run[line["line_number"]] = run.get(line["line_number"], False) or line["count"] > 0
    return sum(run.values()), len(run)


def count_types(lines):
    """(covered, all) as gcovr's pages have it: a line of a template counts once for each of its types."""
    return sum(line["count"] > 0 for line in lines), len(lines)


def sum_up(files, counted):
    """{(package, folder): (covered, lines)}, in the order of FOLDERS"""
    sums = {place: [0, 0] for place in FOLDERS}
    for name, lines in files.items():
        place = next(place for place in FOLDERS if name.startswith(place[1] + "/"))
        sums[place] = [a + b for a, b in zip(sums[place], counted(lines))]
    return sums


def total(sums, package):
    return [sum(column) for column in zip(*(counts for (owner, _), counts in sums.items() if owner == package))]


def percent(covered, lines):
    return 100 * covered / lines if lines else 0.0


def row(name, covered, lines):
    if not lines:
        return f"{name:51} declarations only"
    return f"{name:51} {covered:5} of {lines:5} lines  {percent(covered, lines):5.1f} %"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--judge", type=float, metavar="PERCENT")
    arguments = parser.parse_args()
    files = measure(arguments.build.resolve())
    sums, by_type = sum_up(files, count), sum_up(files, count_types)
    table, below = [row(folder, *counts) for (_, folder), counts in sums.items()], []
    for package in JUDGED:
        counts = total(sums, package)
        table.append(row(f"all of {package}", *counts))
        table.append(row("  templates once for each type, as gcovr", *total(by_type, package)))
        if arguments.judge is not None and percent(*counts) < arguments.judge:
            below.append(f"{package} is below {arguments.judge:g} %")
    text = "\n".join(table + below)
    (arguments.build / "table.txt").write_text(text + "\n")
    print(text)
    return bool(below)


if __name__ == "__main__":
    sys.exit(main())
