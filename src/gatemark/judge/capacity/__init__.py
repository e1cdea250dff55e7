# SPDX-License-Identifier: Apache-2.0
"""The capacity model: what a packet costs the gateway's CPU, as a sum over what is done to it."""
