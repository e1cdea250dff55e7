# SPDX-License-Identifier: Apache-2.0
"""A place of labgrid as a gateway to measure: a driver, and a fixture for tests of OpenWrt.

The place has a NetworkService, the way by SSH. What else a station file says (docs/stations.md)
stands in labgrid's file; the two NICs are those of the machine that runs labgrid's client:

    targets:
      main:
        resources: { RemotePlace: { name: box } }
        drivers:
          GatemarkDriver:
            station:
              gateway: { lan: eth0, wan: eth1, set: observe }
              lan: { nic: enp3s0, ipv4: 192.168.1.10/24 }
              wan: { nic: enp4s0, ipv4: 203.0.113.10/24 }
    imports: [gatemark_labgrid.py]

In tests that have the fixture `target`, as those of openwrt-tests:

    pytest_plugins = ["gatemark_labgrid"]

    def test_it_forwards(gatemark):
        rows = gatemark.run("quick/speed", "--variant", "short")
        assert max(row["value"] for row in rows if row["quantity"] == "received_pps") > 50_000
"""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import attr
import pytest
from labgrid import Target, step, target_factory
from labgrid.driver import Driver
from labgrid.driver.exception import ExecutionError

MEASURED = (0, 3)  # exit codes: done; something is slower than expected, which the rows say


@target_factory.reg_driver
@attr.s(eq=False)
class GatemarkDriver(Driver):
    """Measures the gateway of a place."""

    bindings = {"service": "NetworkService"}  # noqa: RUF012  labgrid reads it of the class
    station = attr.ib(validator=attr.validators.instance_of(dict))
    command = attr.ib(default="gatemark", validator=attr.validators.instance_of(str))

    @Driver.check_active
    @step(args=["plan"], result=True)
    def run(self, plan: str, *options: str) -> list[dict[str, Any]]:
        """Measure a plan. Return its values, a dictionary each, as `gatemark run --json` has them.

        Raises ExecutionError with the last lines on stderr where nothing was measured.
        """
        with tempfile.TemporaryDirectory() as folder:
            bench = Path(folder, "bench.toml")
            bench.write_text(self.bench(), encoding="utf-8")
            argv = [self.command, "run", str(plan), "--station", str(bench), "--json", *options]
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode not in MEASURED:
            raise ExecutionError(f"{' '.join(argv)}: {done.stderr[-2000:]}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def bench(self) -> str:
        """Return the station file: what labgrid's file says, and the way that the place has."""
        place = self.service
        way = {"kind": "ssh", "address": f"{place.username}@{place.address}:{place.port}"}
        tables = {**self.station, "gateway": {**way, **self.station.get("gateway", {})}}
        lines = ['schema = "gatemark.station/1"']
        for name, table in tables.items():
            # A string, a number, true and false are the same in JSON and in TOML.
            lines += ["", f"[{name}]", *(f"{key} = {json.dumps(table[key])}" for key in table)]
        return "\n".join([*lines, ""])


@pytest.fixture
def gatemark(target: Target) -> GatemarkDriver:
    """Return the driver of the place, active."""
    driver = target.get_driver("GatemarkDriver", activate=False)
    target.activate(driver)
    return driver
