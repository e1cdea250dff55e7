# SPDX-License-Identifier: Apache-2.0
"""Namespaces of our own are needed where the network is of somebody above us."""

import subprocess
import sys

import pytest

ASKS = "from gatemark.station import own; print(own.needed())"


@pytest.mark.parametrize(("words", "needed"), [([], "True"), (["--net"], "False")])
def test_root_of_a_user_namespace_needs_them_unless_the_network_is_its_own(
    words: list[str], needed: str
) -> None:
    """As in a rootless container with the host's network, and with one of its own."""
    enters = ["unshare", "--user", "--map-root-user", *words]
    if subprocess.run([*enters, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    asked = [*enters, sys.executable, "-c", ASKS]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == needed
