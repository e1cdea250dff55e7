#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# grafana-foundation-sdk (PyPI): whoever asks for 11.5 or newer gets the one of Grafana 10.1.
#
# The package has a release for each Grafana from 10.1 to 11.6, all renewed on the same day. Each has the
# second of its build as the epoch of its version (PEP 440), and an epoch counts before all else. The one
# of the oldest Grafana was built last, so it is the newest, `>=11.5` takes it, and `==11.*` and `~=11.5`
# find nothing. The bound below holds what a later build would change.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv

# A version that pip takes for a requirement.
takes() {
	mkdir "$1"
	venv/bin/pip install -q --no-deps --target "$1" "grafana-foundation-sdk$2" 2>errors.txt || true
	find "$1" -name METADATA -exec sed -n 's/^Version: [0-9]*!//p' {} +
}

newest='<=1769699998!10.1.0'
newer=$(takes newer ">=11.5,$newest")
named=$(takes named "==11.5.*")
exact=$(takes exact "==1769699452!11.5.0")
echo ">=11.5 gives ${newer:-nothing}, ==11.5.* gives ${named:-nothing}, with its epoch: $exact"
[ "$newer,$named,$exact" = "10.1.0,,11.5.0" ]
