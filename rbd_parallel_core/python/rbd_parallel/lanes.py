# SPDX-License-Identifier: Apache-2.0
"""Between arrays with one state contiguous and those of Backend(..., layout="lanes")."""

import numpy
from numpy.typing import ArrayLike


def to_lanes(array: ArrayLike, width: int) -> numpy.ndarray:
    """(batch, ...) -> (groups, ..., width), C-contiguous. The last group is filled up with copies of the last state.

    width: Backend.lane_width
    """
    array = numpy.asarray(array)
    if array.ndim == 0:
        raise ValueError("array: expected shape (batch, ...), got (), a single number")
    if not isinstance(width, int | numpy.integer):
        raise TypeError(f"width: expected an int, Backend.lane_width, got {width!r}")
    if width < 1:
        raise ValueError(f"width: expected at least 1, Backend.lane_width, got {width}")
    batch = len(array)
    groups = -(-batch // width)
    whole = array[numpy.minimum(numpy.arange(groups * width), batch - 1)]
    return numpy.ascontiguousarray(numpy.moveaxis(whole.reshape(groups, width, *array.shape[1:]), 1, -1))


def from_lanes(array: ArrayLike, batch: int) -> numpy.ndarray:
    """(groups, ..., width) -> (batch, ...), C-contiguous: what to_lanes made, without the copies that fill up."""
    array = numpy.asarray(array)
    if array.ndim < 2:
        raise ValueError(f"array: expected shape (groups, ..., width), as to_lanes() gives it, got {array.shape}")
    if not isinstance(batch, int | numpy.integer):
        raise TypeError(f"batch: expected an int, got {batch!r}")
    rows = numpy.moveaxis(array, -1, 1)
    if not 0 <= batch <= rows.shape[0] * rows.shape[1]:
        raise ValueError(
            f"batch: expected at most {rows.shape[0] * rows.shape[1]}, the states of an array of shape {array.shape}, "
            f"got {batch}"
        )
    states = rows.shape[0] * rows.shape[1]  # not -1: a robot without joints has rows of no numbers
    return numpy.ascontiguousarray(rows).reshape(states, *rows.shape[2:])[:batch]
