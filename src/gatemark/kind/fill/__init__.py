# SPDX-License-Identifier: Apache-2.0
"""Flows that fill a gateway's table."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "flows": ("flows", "concurrent flows"),
    "teardown_per_s": ("flows/s", "flows that are removed a second, as the table is emptied"),
    "flow_bytes": ("bytes", "the gateway's memory for a flow, by all slabs"),
    "flow_object_bytes": ("bytes", "the gateway's memory for a flow, by its objects"),
    "free_bytes": ("bytes", "the gateway's free memory before the first flow"),
    "flows_predicted": ("flows", "flows that the gateway's memory has room for"),
    "flows_recommended": ("flows", "recommended maximum of the flow table"),
}
