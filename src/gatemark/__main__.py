# SPDX-License-Identifier: Apache-2.0
"""`gatemark`, and `python -m gatemark`: run a verb, tell a failure in one line."""

import os
import sys


def main() -> None:
    """Run the command line; a GatemarkError becomes one line and its exit code."""
    from gatemark.commands.app import app  # noqa: PLC0415
    from gatemark.error import GatemarkError  # noqa: PLC0415

    debug = "--debug" in sys.argv or bool(os.environ.get("GATEMARK_DEBUG"))
    try:
        app()
    except GatemarkError as error:
        if debug:
            raise
        print(f"gatemark: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output (`head`) went away: nothing to tell anyone.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
