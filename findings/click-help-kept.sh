#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Click 8.3.1: a command whose help was once asked for alone refuses the `-h` that its group has.
#
# Names of the help option are a setting of the context, which a command has from its group
# (`help_option_names`). But a command makes that option once and keeps it (since 8.1.8), by the context of
# whoever came first. So a page of all helps that is made in the same process, as documentation and tests
# do, decides what the command line takes later: `-h` is then "No such option", with exit code 2. The
# other way round a command alone keeps an `-h` that nobody gave it. In 8.1.7 each context had its
# own. Whom it hurts: who tests a command line in one process, where the order of tests then decides.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
cat >probe.py <<'PYTHON'
import sys

import click
from click.testing import CliRunner


@click.command()
def sub():
    """Do nothing."""


settings = {"help_option_names": ["-h", "--help"]}
top = click.Group("top", commands={"sub": sub}, context_settings=settings)
if sys.argv[1] == "after":
    with sub.make_context("sub", [], resilient_parsing=True) as context:
        sub.get_help(context)
print(sys.argv[1:], "exit code", CliRunner().invoke(top, ["sub", "-h"]).exit_code)
PYTHON
for version in 8.1.7 8.3.1; do
	python3 -m venv "$version"
	"$version/bin/pip" install -q "click==$version"
	for when in at-once after; do
		"$version/bin/python" probe.py "$when" "$version"
	done
done | tee seen.txt
cat >expected.txt <<'TEXT'
['at-once', '8.1.7'] exit code 0
['after', '8.1.7'] exit code 0
['at-once', '8.3.1'] exit code 0
['after', '8.3.1'] exit code 2
TEXT
cmp seen.txt expected.txt
