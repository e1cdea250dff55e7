# SPDX-License-Identifier: Apache-2.0
"""Stations of kind `ssh`: a box on a desk, over SSH, between NICs or hosts of the tester."""
