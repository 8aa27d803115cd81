# SPDX-License-Identifier: Apache-2.0
"""What loading and building a robot raises and warns about."""


class ModelError(ValueError):
    """A robot cannot be built. str() has every fault found, a line each; so has the list `faults`. What else was odd is
    in the list `warnings`."""

    faults: list[str]
    warnings: list[str]

    def __init__(self, message: str = "", faults: list[str] | None = None, warnings: list[str] | None = None):
        super().__init__(message)
        self.faults = message.splitlines() if faults is None else faults
        self.warnings = [] if warnings is None else warnings


class ModelWarning(UserWarning):
    """Something in a robot is odd but was not refused; also in Model.warnings."""
