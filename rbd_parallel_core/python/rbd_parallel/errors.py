# SPDX-License-Identifier: Apache-2.0
"""What loading and building a robot raises and warns about."""


class ModelError(ValueError):
    """A robot cannot be built. str() has every fault found, a line each; so has the list `faults`."""

    faults: list[str]

    def __init__(self, message: str = "", faults: list[str] | None = None):
        super().__init__(message)
        self.faults = message.splitlines() if faults is None else faults


class ModelWarning(UserWarning):
    """Something in a robot is odd but was not refused; also in Model.warnings."""
