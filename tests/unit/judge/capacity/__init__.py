# SPDX-License-Identifier: Apache-2.0
"""Tests of the capacity model, against a gateway whose packets cost a sum that is known."""
