# SPDX-License-Identifier: Apache-2.0
"""Load the gateway: what is sent and how each packet is accounted for."""
