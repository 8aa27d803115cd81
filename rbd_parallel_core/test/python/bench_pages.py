# SPDX-License-Identifier: Apache-2.0
"""What the tests of ./dev bench ask of its programs and of the pages that it writes."""

import subprocess


def headers(markdown):
    """Of its tables."""
    lines = markdown.splitlines()
    return [line for line, after in zip(lines, lines[1:]) if after.startswith("|---")]


def section(page, name):
    """What the page has between the marks of that name."""
    return page.partition(f"<!-- {name}: begin -->\n")[2].partition(f"<!-- {name}: end -->\n")[0]


def expect_refusal(command, words):
    """That the program refuses its arguments with these words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert words in done.stderr
