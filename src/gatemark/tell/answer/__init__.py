# SPDX-License-Identifier: Apache-2.0
"""The answers: one module for each kind, in tables and words that terminal and page share."""
