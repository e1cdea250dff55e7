# SPDX-License-Identifier: Apache-2.0
"""Sentences of what a home asks of its gateway besides packets: groups, names, addresses."""
