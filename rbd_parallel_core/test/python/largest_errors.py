# SPDX-License-Identifier: Apache-2.0
"""Compares with references, and remembers the largest error of each operation."""

import collections
import dataclasses

import numpy


@dataclasses.dataclass
class Largest:
    error: float = 0.0
    limit: float = 0.0
    where: str = ""
    states: int = 0


class Errors:
    """The largest error of each operation, over all robots."""

    def __init__(self):
        self.largest = collections.defaultdict(Largest)

    def check(self, operation, errors, limit, where):
        """Notes the errors of some states, and asserts that each is within the limit. NaN is not."""
        errors = numpy.atleast_1d(errors)
        if errors.size == 0:
            return
        worst = float(errors.max())  # NaN if any is
        self.note(operation, Largest(worst, limit, where, errors.size))
        assert worst <= limit, f"{operation}, {where}: expected an error <= {limit:g}, got {worst:g}"

    def note(self, operation, found):
        """Keeps the worse one, and adds up the states."""
        entry = self.largest[operation]
        entry.states += found.states
        if not found.error <= entry.error or not entry.where:
            entry.error, entry.limit, entry.where = found.error, found.limit, found.where

    def rows(self):
        """Everything as plain values, for other processes and for files."""
        return {operation: dataclasses.asdict(entry) for operation, entry in sorted(self.largest.items())}

    def matching(self, operation, actual, expected, limit, where, scale=None):
        """Each state's largest difference, relative to the largest entry of the reference (or to `scale`)."""
        actual, expected = numpy.asarray(actual), numpy.asarray(expected)
        assert actual.shape == expected.shape, f"{operation}, {where}: {actual.shape} against {expected.shape}"
        if expected.size == 0:
            return
        axes = tuple(range(1, expected.ndim))
        if scale is None:
            scale = numpy.abs(expected).max(axis=axes)
        difference = numpy.abs(actual - expected).max(axis=axes)
        self.check(operation, difference / numpy.maximum(scale, numpy.finfo(float).tiny), limit, where)
