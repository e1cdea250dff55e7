# SPDX-License-Identifier: Apache-2.0
"""Kernels on the gateway's processor: their rates, what a packet takes of them, the platform."""
