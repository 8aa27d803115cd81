# SPDX-License-Identifier: Apache-2.0
"""The list of mutations (docs/mutations.md) is of use: every edit finds its place, and the page shows all of them."""

import copy
import pathlib
import re
import sys

import pytest
from test_readme import ROOT

sys.path.insert(0, str(ROOT / "test" / "mutations"))
import run as mutations_run  # noqa: E402

SUITES, MUTATIONS = mutations_run.read_list()


def test_every_old_text_occurs_once():
    assert mutations_run.misplaced(MUTATIONS) == []


@pytest.mark.parametrize("old, count", [("no such text", 0), ("\n", "[0-9]+")])
def test_a_text_that_is_gone_or_ambiguous_is_named(old, count):
    broken = copy.deepcopy(MUTATIONS[:2])
    broken[1]["old"] = old
    (reason,) = mutations_run.misplaced(broken)
    assert re.match(rf"{broken[1]['id']}: its old text occurs {count} times in ", reason)


def test_every_mutation_changes_something_and_has_a_name_of_its_own():
    assert len({mutation["id"] for mutation in MUTATIONS}) == len(MUTATIONS) >= 30
    for mutation in MUTATIONS:
        assert mutation["old"] != mutation["new"], mutation["id"]
        assert mutation["suite"] in SUITES, mutation["id"]
        assert mutation["meaning"] and mutation["tests"], mutation["id"]


def test_the_page_shows_every_mutation():
    page = pathlib.Path(ROOT / "docs" / "mutations.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| ([\w-]+) \| `", page, re.MULTILINE)
    assert shown == [mutation["id"] for mutation in MUTATIONS]
