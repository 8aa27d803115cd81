# SPDX-License-Identifier: Apache-2.0
"""The tables of README.md about the node say what the node says of itself."""

import pathlib
import re

import pytest
from node_process import urdf
from rcl_interfaces.msg import ParameterType

GIVEN = {"robot_description": urdf("arm7"), "effort_mode": "gravity"}
README = (pathlib.Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
TYPES = {
    "string": ParameterType.PARAMETER_STRING,
    "string array": ParameterType.PARAMETER_STRING_ARRAY,
    "double": ParameterType.PARAMETER_DOUBLE,
    "double array": ParameterType.PARAMETER_DOUBLE_ARRAY,
    "integer": ParameterType.PARAMETER_INTEGER,
    "bool": ParameterType.PARAMETER_BOOL,
}


def table(first_column):
    """Rows of the table whose first column has this title, as lists of cells."""
    lines = README.split(f"\n| {first_column} | ", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in lines]


@pytest.fixture(scope="module")
def node(tmp_path_factory, ros):
    """With the defaults, but for what is GIVEN; active, so that it knows its joints and has all its topics."""
    from conftest import Serving

    serving = Serving(tmp_path_factory.mktemp("defaults"), GIVEN, "tables")
    serving.client.activate()
    yield serving.client
    serving.close()


def in_words(value):
    """A value as the table shows it."""
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        return ", ".join(f"{x:g}" for x in value) or "empty"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else f"`{value}`"


def test_parameters(node):
    rows = {row[0].strip("`"): row[1:] for row in table("parameter")}
    declared = {re.sub(r"^armature\..*", "armature.<joint>", name) for name in node.parameter_names()}
    usual = {"use_sim_time", "start_type_description_service"}  # of every node
    assert set(rows) == {name for name in declared if name not in usual and not name.startswith("qos_overrides")}
    for name, (kind, default, may_be, _) in rows.items():
        name = name.replace("<joint>", "joint_1")
        descriptor = node.describe(name)
        assert descriptor.type == TYPES[kind], name
        if name not in GIVEN:
            assert in_words(node.get(name)) == default, name
        for limits in descriptor.integer_range:
            assert may_be == f"{limits.from_value} to {limits.to_value}", name
        for limits in descriptor.floating_point_range:
            if not descriptor.read_only and "armature" not in name:
                assert may_be == f"{limits.from_value:g} to {limits.to_value:g}", name
        if "one of" in descriptor.additional_constraints:
            assert re.findall(r"'(\w+)'", descriptor.additional_constraints) == re.findall(r"`(\w+)`", may_be), name
        assert descriptor.read_only == (may_be == "set at start only"), name


def test_services_and_topics(node):
    graph = node.node
    services = dict(graph.get_service_names_and_types_by_node("dynamics", "/tables"))
    ours = {n.replace("/tables/dynamics/", "`~/") + "`": t for n, t in services.items() if "rbd_parallel" in t[0]}
    rows = table("service")
    assert {row[0]: ["rbd_parallel_msgs/srv/" + row[1].strip("`")] for row in rows} == ours
    topics = graph.get_publisher_names_and_types_by_node("dynamics", "/tables")
    topics += graph.get_subscriber_names_and_types_by_node("dynamics", "/tables")
    usual = {"/rosout", "/parameter_events", "/clock"}  # of every node
    ours = {name: types[0].replace("/msg/", "/") for name, types in topics if name not in usual}
    rows = table("topic")
    shown = {row[0].strip("`").replace("~", "dynamics"): row[1].strip("`") for row in rows}
    assert {name if name.startswith("/") else f"/tables/{name}": kind for name, kind in shown.items()} == ours
