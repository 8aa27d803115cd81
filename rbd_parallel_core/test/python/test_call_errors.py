# SPDX-License-Identifier: Apache-2.0
"""A call that fits no signature is answered with one sentence: the argument, what was expected, what came."""

import inspect

import numpy
import pytest

import rbd_parallel
from rbd_parallel import _core, call_errors
from robots import own_robots

ARM = own_robots()["config/robots/arm7.urdf"]
MODEL = rbd_parallel.load_urdf(ARM)
BACKEND = rbd_parallel.Backend(MODEL)
Q = numpy.zeros(7)


def compiled_calls():
    """Every public function and method that is compiled: {name: (callable, signatures)}"""
    calls = {}
    for owner, name in [(_core, name) for name in vars(_core)] + [
        (instance, name) for instance in (MODEL, BACKEND) for name in dir(instance)
    ]:
        if name.startswith("_"):
            continue
        function = inspect.getattr_static(owner if owner is _core else type(owner), name)
        if hasattr(function, "__nb_signature__"):
            signatures = [call_errors.Signature(signature[0]) for signature in function.__nb_signature__]
            calls[f"{'' if owner is _core else type(owner).__name__ + '.'}{name}"] = (getattr(owner, name), signatures)
    for name in ("Backend", "JointLimits", "Mimic"):
        cls = getattr(_core, name)
        function = inspect.getattr_static(cls, "__init__")
        signatures = [call_errors.Signature(signature[0]) for signature in function.__nb_signature__]
        calls[name] = (cls, signatures)
    return calls


CALLS = compiled_calls()
ARGUMENTS = sorted((call, k, name) for call in CALLS for k, s in enumerate(CALLS[call][1]) for name in s.types)

# Of the right kind, so that only one argument of a call is wrong.
GOOD = {
    "path_or_xml": ARM,
    "robot": rbd_parallel.RobotDescription("r", [rbd_parallel.LinkDescription("l")]),
    "q": Q,
    "q0": Q,
    "q1": Q,
    "v": Q,
    "link": "tool",
    "links": "tool",
    "name": "cpu",
    "model": MODEL,
    "mass": 1.0,
    "bodies": 3,
    "operation": "energies",
    "joint": "elbow",
    "tau": Q,
    "weights": Q,
    "dt": 0.01,
}
MOTION = numpy.random.default_rng(0).uniform(-1, 1, (4, 20, 7))
GOOD_FOR = {"identify": dict(zip("qva", MOTION)) | {"tau": MOTION[3]}}


def good_arguments(call, signature):
    good = GOOD | GOOD_FOR.get(call, {})
    return {name: good[name] for name in signature.types if name in signature.required}



def test_calls_are_found():
    assert {"load_urdf", "build_model", "auto_tree", "Backend", "Backend.jacobian", "Model.with_payload"} <= set(CALLS)
    assert len(ARGUMENTS) > 80


class Stranger:
    """Nothing takes it."""


@pytest.mark.parametrize("call, overload, name", ARGUMENTS, ids=lambda x: str(x))
def test_a_stranger_for_any_argument(call, overload, name):
    function, signatures = CALLS[call]
    signature = signatures[overload]
    arguments = good_arguments(call, signature)
    arguments[name] = Stranger()
    with pytest.raises((TypeError, ValueError)) as caught:
        function(**arguments)
    message = str(caught.value)
    assert "incompatible function arguments" not in message and "\n" not in message, message
    # An array, a dict or a choice is read by the function itself, which names it without that of the function.
    assert f"{name}: expected " in message and "Stranger" in message, message


@pytest.mark.parametrize("call, overload, name", ARGUMENTS, ids=lambda x: str(x))
def test_none_for_any_argument(call, overload, name):
    """It is taken where the signature says so; else the message names it and what is expected."""
    function, signatures = CALLS[call]
    signature = signatures[overload]
    arguments = good_arguments(call, signature)
    arguments[name] = None
    if call_errors.fits(None, signature.types[name]):
        function(**arguments)
        return
    with pytest.raises((TypeError, ValueError)) as caught:
        function(**arguments)
    message = str(caught.value)
    assert f"{name}: expected " in message and "got None" in message and "\n" not in message, message


@pytest.mark.parametrize("call", CALLS)
def test_arguments_that_are_not_there(call):
    function, signatures = CALLS[call]
    with pytest.raises(TypeError, match=rf"{call.split('.')[-1]}\(\): nothing_like_it: not an argument, expected "):
        function(nothing_like_it=1)
    most = max(len(signature.types) for signature in signatures)
    with pytest.raises(TypeError, match=rf"{call.split('.')[-1]}\(\): expected at most {most} arguments"):
        function(*range(most + 1))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: BACKEND.explain(3), "explain(): operation: expected a str, got the int 3"),
        (lambda: BACKEND.explain("energies", 1e3), "explain(): batch: expected an int, got the float 1000.0; write 1000"),
        (lambda: BACKEND.explain(), "explain(): operation: expected a str, got nothing"),
        (
            lambda: BACKEND.jacobian(Q, "tool", axis="link"),
            "jacobian(): axis: not an argument, expected q, link, axes, out; did you mean axes?",
        ),
        (lambda: BACKEND.jacobian(Q, "tool", q=Q), "jacobian(): q: expected once, got by position and by name"),
        (lambda: rbd_parallel.load_urdf(ARM, base=None), "load_urdf(): base: expected a str, got None"),
        (
            lambda: rbd_parallel.load_urdf(ARM, armature={"joint_1": "big"}),
            "load_urdf(): armature: expected a dict {str: number}, got a dict",
        ),
        (lambda: rbd_parallel.auto_tree(2.5), "auto_tree(): bodies: expected an int, got the float 2.5"),
        (lambda: rbd_parallel.auto_tree(2**70), "auto_tree(): bodies: expected an int, got the int 1180591620717411303424"),
        (lambda: MODEL.integrate(None, Q), "integrate(): q: expected an array, got None"),
        (lambda: rbd_parallel.load_urdf(ARM, gravity=None), "load_urdf(): gravity: expected an array, got None"),
        (lambda: rbd_parallel.Backend(MODEL, dtype=None), "Backend(): dtype: expected float64 or float32, got None"),
        (
            lambda: rbd_parallel.auto_tree(2**40, skew=1.0),
            "auto_tree(): an argument is out of bounds, got bodies=the int 1099511627776, skew=the float 1.0",
        ),
        (lambda: rbd_parallel.auto_tree(2**40), "auto_tree(): an argument is out of bounds, got bodies=the int 1099511627776"),
        (
            lambda: rbd_parallel.Backend(MODEL, max_batch=1e3),
            "Backend(): max_batch: expected an int, got the float 1000.0; write 1000",
        ),
        (lambda: rbd_parallel.Backend(MODEL, 2.5), "Backend(): max_batch: expected an int, got the float 2.5"),
        (lambda: rbd_parallel.Backend(None), "Backend(): model: expected a Model, got None"),
        (lambda: rbd_parallel.Backend("cpu"), "Backend(): model: expected a Model, got nothing"),
        (lambda: rbd_parallel.Backend("cpu", "arm7"), "Backend(): model: expected a Model, got the str 'arm7'"),
        (
            lambda: rbd_parallel.Backend(MODEL).forward_dynamics(MODEL.neutral(), method=None),
            "forward_dynamics(): method: expected a str, got None",
        ),
        (
            lambda: rbd_parallel.Backend(MODEL).jacobian(MODEL.neutral(), "tool", None),
            "jacobian(): axes: expected a str, got None",
        ),
        (lambda: rbd_parallel.Backend(MODEL, friction=1), "Backend(): friction: expected True or False, got the int 1"),
        (
            lambda: rbd_parallel.Backend(MODEL, nme="cpu"),
            "Backend(): nme: not an argument, expected name, model, max_batch, threads, friction, on_error, dtype, "
            "instruction_set, layout, family, block, spin_us, compile; did you mean name?",
        ),
        (lambda: rbd_parallel.Mimic(3), "Mimic(): joint: expected a str, got the int 3"),
        (lambda: MODEL.with_payload("tool", "1 kg"), "with_payload(): mass: expected a number, got the str '1 kg'"),
        (lambda: rbd_parallel.backend_names(1), "backend_names(): expected at most 0 arguments (no arguments), got 1"),
    ],
)
def test_sentences(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


def test_a_link_that_is_no_name():
    with pytest.raises(TypeError, match=r"link: expected a name or a list of names, got 3 \(int\)"):
        BACKEND.jacobian(Q, 3)


class Robot(rbd_parallel.Backend):
    """With an __init__ of its own."""

    def __init__(self, path, *, batch):
        super().__init__(rbd_parallel.load_urdf(path), "cpu", max_batch=batch)
        self.path = path

    def weight(self, q):
        return self.gravity_forces(q)


class Forgetful(rbd_parallel.Backend):
    def __init__(self):
        self.what_else = "nothing"


def test_a_subclass_may_have_another_init():
    robot = Robot(ARM, batch=5)
    assert (robot.path, robot.name, robot.max_batch) == (ARM, "cpu", 5)
    assert numpy.array_equal(robot.weight(Q), BACKEND.gravity_forces(Q))
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'batch'"):
        Robot(ARM)


@pytest.mark.filterwarnings("ignore:nanobind. attempted to access an uninitialized instance")
def test_a_subclass_that_forgets_the_init_of_its_base():
    with pytest.raises(TypeError, match=r"explain\(\): expected Forgetful.__init__\(\) to call super\(\).__init__\(\)"):
        Forgetful().explain("energies")
    with pytest.raises(TypeError, match=r"gravity_forces\(\): expected Forgetful.__init__\(\) to call super"):
        Forgetful().gravity_forces(Q)


@pytest.mark.filterwarnings("ignore:nanobind. attempted to access an uninitialized instance")
@pytest.mark.parametrize("name", ["Backend", "Joint", "JointLimits", "Link", "Mimic", "Model"])
def test_properties_of_an_object_without_init(name):
    cls = getattr(rbd_parallel, name)
    properties = [key for key, value in vars(cls).items() if isinstance(value, property)]
    assert len(properties) > 2
    for key in properties:
        with pytest.raises(TypeError) as caught:
            getattr(cls.__new__(cls), key)
        assert str(caught.value).startswith(
            f"{key}: expected a {name} that was initialised, got one of {name}.__new__() alone; use "
        )
    with pytest.raises(TypeError, match=rf"__repr__\(\): expected a {name} that was initialised"):
        repr(cls.__new__(cls))


@pytest.mark.filterwarnings("ignore:nanobind. attempted to access an uninitialized instance")
def test_properties_of_a_subclass_that_forgets_the_init_of_its_base():
    with pytest.raises(TypeError, match=r"^max_batch: expected Forgetful.__init__\(\) to call super\(\).__init__\(\)"):
        Forgetful().max_batch


@pytest.mark.parametrize("name", ["auto", *rbd_parallel.backend_names()])
def test_name_and_model_in_either_order(name):
    one, other = rbd_parallel.Backend(name, MODEL, 3), rbd_parallel.Backend(MODEL, name, 3)
    assert repr(one) == repr(other) == repr(rbd_parallel.Backend(model=MODEL, name=name, max_batch=3))


def test_other_type_errors_are_left_alone():
    with pytest.raises(TypeError, match="f_ext: expected a dict"):
        BACKEND.inverse_dynamics(Q, f_ext=3)


def test_a_signature_that_cannot_be_read_leaves_nanobind_s_words(monkeypatch):
    monkeypatch.setattr(call_errors, "Signature", lambda text: 1 / 0)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        BACKEND.explain(3)
