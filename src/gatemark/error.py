# SPDX-License-Identifier: Apache-2.0
"""Errors of as few kinds as the user can act on; each message names the fix."""

from collections.abc import Sequence
from typing import Final

NOT_HERE: Final = "not available here: "  # begins the reason of a trial that was skipped
TOO_SLOW: Final = "this machine was too slow"  # begins that of one in which the tester had no CPU


class GatemarkError(Exception):
    """A failure, reported to the user in one line; `exit_code` is what the command ends with."""

    exit_code = 1


class UsageError(GatemarkError):
    """The user asked for something impossible: a wrong option, plan or station file."""

    exit_code = 2


class FaultsError(UsageError):
    """Several things that are wrong with what the user wrote, each with its fix."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


class StationError(GatemarkError):
    """The bench could not be built, set or given back."""


class BusyError(StationError):
    """Somebody else measures the device just now: nothing of it is at fault, so wait."""


class StuckError(StationError):
    """A trial's process that could not be ended: the next trial would measure it."""


class NodeError(GatemarkError):
    """A host or its agent failed or went away.

    `output` is what a command or an agent printed as it failed; "" where the host was lost.
    `code` is a command's exit code, where one has ended, and `errors` all that it complained of.
    """

    def __init__(
        self, message: str = "", output: str = "", code: int = 0, errors: str = ""
    ) -> None:
        super().__init__(message)
        self.output = output
        self.code = code
        self.errors = errors


class UnavailableError(GatemarkError):
    """This machine or device cannot do it; the message says what would."""


class InvalidTrialError(GatemarkError):
    """The trial ran, but what it measured may not be used; it becomes a record all the same."""
