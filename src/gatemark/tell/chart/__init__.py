# SPDX-License-Identifier: Apache-2.0
"""Figures of the page: each a pure function of a judgement (and records) to Altair charts."""
