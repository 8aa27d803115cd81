# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a call that fits no signature of a compiled function, in one sentence.

The signatures themselves say what was expected, so that no function needs words of its own.
"""

import ast
import difflib
import re
from typing import Any

Arguments = dict[str, ast.expr | None]  # the annotation of each parameter
# Of several complaints, one for each overload, the largest is shown: arguments understood before the wrong one; 1 for
# one that is wrong and 0 for one that is missing; the overload that asks for least.
Rank = tuple[int, int, int]


class Signature:
    """One overload: the parameters after self or cls, with their types as the stub has them."""

    def __init__(self, text: str):
        # Defaults are written as \\0, \\1, ...
        definition = ast.parse(re.sub(r"\\(\d+)", r"\1", text) + ": ...").body[0]
        assert isinstance(definition, ast.FunctionDef)
        self.name = definition.name
        parameters = [*definition.args.posonlyargs, *definition.args.args]
        first_default = len(parameters) - len(definition.args.defaults)
        self.required = {parameter.arg for parameter in parameters[:first_default]}
        self.types: Arguments = {parameter.arg: parameter.annotation for parameter in parameters}
        self.is_method = bool(parameters) and parameters[0].arg in ("self", "cls")
        if self.is_method:
            self.types.pop(parameters[0].arg)
            self.required.discard(parameters[0].arg)

    def complaint(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Rank, str]:
        """What is wrong with the first argument that is not understood, and how near the call came to fitting."""
        names = list(self.types)
        known = ", ".join(names) if names else "no arguments"
        if len(args) > len(names):
            return (0, 0, len(names)), f"expected at most {len(names)} arguments ({known}), got {len(args)}"
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name in given:
                return (0, 1, 0), f"{name}: expected once, got by position and by name"
            if name not in self.types:
                near = difflib.get_close_matches(name, names, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                return (0, len(near), len(names)), f"{name}: not an argument, expected {known}{hint}"
            given[name] = value
        for understood, name in enumerate(names):
            wanted = EXPECTED_OF.get(name) or expected(self.types[name])
            if name not in given and name in self.required:
                return (understood, 0, -len(self.required)), f"{name}: expected {wanted}, got nothing"
            if name in given and not fits(given[name], self.types[name]):
                return (understood, 1, -len(self.required)), f"{name}: expected {wanted}, got {got(given[name])}"
        values = ", ".join(f"{name}={got(value, advice=False)}" for name, value in given.items())
        return (len(names), 0, 0), f"an argument is out of bounds, got {values}"


def explain(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], ready: bool) -> str:
    """function: of _core, which refused these arguments; ready: whether the first one was initialised."""
    if not ready and (getter := property_name(function, type(args[0]))):
        return not_initialised(getter, type(args[0]))
    signatures = [Signature(signature[0]) for signature in function.__nb_signature__]
    owner, name = "", signatures[0].name
    if signatures[0].is_method and args:
        owner = args[0].__name__ if isinstance(args[0], type) else type(args[0]).__name__
        cls = type(args[0])
        args = args[1:]
    if name == "__init__":
        name = owner
    elif not ready:
        return not_initialised(f"{name}()", cls)
    _, complaint = max((signature.complaint(args, kwargs) for signature in signatures), key=lambda found: found[0])
    return f"{name}(): {complaint}"


def property_name(function: Any, cls: type) -> str | None:
    """Of the property that the function gets."""
    for base in cls.__mro__:
        for name, value in vars(base).items():
            if isinstance(value, property) and value.fget is function:
                return name
    return None


def not_initialised(what: str, cls: type) -> str:
    name = cls.__name__
    if cls.__module__ == __package__ + "._core":
        return f"{what}: expected a {name} that was initialised, got one of {name}.__new__() alone; use {MADE_BY[name]}"
    return f"{what}: expected {name}.__init__() to call super().__init__() first, got an object without it"


MADE_BY = {
    "Backend": "Backend(model)",
    "Joint": "Model.joints",
    "JointLimits": "JointLimits()",
    "Link": "Model.links",
    "Mimic": "Mimic(joint)",
    "Model": "load_urdf(), build_model() or auto_tree()",
}


def words(annotation: ast.expr | None) -> str:
    return "object" if annotation is None else ast.unparse(annotation)


def alternatives(annotation: ast.expr | None) -> list[ast.expr | None]:
    if isinstance(annotation, ast.BinOp):
        return [*alternatives(annotation.left), *alternatives(annotation.right)]
    return [annotation]


def core_class(name: str) -> type | None:
    from . import _core, description

    found = getattr(_core, name.rsplit(".", 1)[-1], None) or getattr(description, name.rsplit(".", 1)[-1], None)
    return found if isinstance(found, type) else None


def fits(value: Any, annotation: ast.expr | None) -> bool:
    """Whether nanobind would take the value for it. What is not known here is left to the function itself, but for None,
    which nanobind takes only where a signature says so."""
    if value is None:
        return any(words(each) == "None" for each in alternatives(annotation))
    return any(fits_one(value, words(each)) for each in alternatives(annotation))


def fits_one(value: Any, name: str) -> bool:
    if name == "None":
        return value is None
    if name == "str":
        return isinstance(value, str)
    if name == "bool":
        return isinstance(value, bool)
    if name == "int":
        return hasattr(value, "__index__") and abs(int(value)) < 2**63
    if name == "float":
        return hasattr(value, "__float__") or hasattr(value, "__index__")
    if name == "bytes":
        return isinstance(value, bytes)
    if name.startswith("os.PathLike"):
        return hasattr(value, "__fspath__")
    if name.startswith("dict["):
        return isinstance(value, dict) and fits_items(value, name)
    if name.startswith(("list[", "collections.abc.Sequence[")):
        item = name[name.index("[") + 1 : -1]
        return not isinstance(value, str) and hasattr(value, "__iter__") and all(fits_one(each, item) for each in value)
    wanted = core_class(name)
    return wanted is None or isinstance(value, wanted)


def fits_items(value: dict[Any, Any], name: str) -> bool:
    key, item = name[len("dict[") : -1].split(", ", 1)
    return all(fits_one(k, key) and fits_one(v, item) for k, v in value.items())


EXPECTED_OF = {"dtype": "float64 or float32"}  # arguments whose annotation says little
EXPECTED = {
    "str": "a str",
    "int": "an int",
    "float": "a number",
    "bool": "True or False",
    "bytes": "bytes",
    "None": "None",
    "object": "an object",
    "list[str]": "a list of str",
    "dict[str, float]": "a dict {str: number}",
    "numpy.typing.ArrayLike": "an array",
    "numpy.ndarray": "a numpy array",
    "os.PathLike[str]": "a path",
}


def expected(annotation: ast.expr | None) -> str:
    def one(name: str) -> str:
        return EXPECTED.get(name) or "a " + name.rsplit(".", 1)[-1]

    names = [one(words(each)) for each in alternatives(annotation)]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def got(value: Any, advice: bool = True) -> str:
    """The value itself where it is short, and its class; with advice for a float that stands for an int."""
    if value is None or isinstance(value, bool):
        return repr(value)
    name = type(value).__name__
    if advice and isinstance(value, float) and value.is_integer():
        return f"the {name} {value!r}; write {int(value)}" if abs(value) < 1e15 else f"the {name} {value!r}"
    if isinstance(value, (int, float, str)) and len(repr(value)) <= 40:
        return f"the {name} {value!r}"
    return f"a {name}"
