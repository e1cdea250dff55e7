# SPDX-License-Identifier: Apache-2.0
"""Verbs of `gatemark station` that meet a bench: the interview, the check, the report."""
