# SPDX-License-Identifier: Apache-2.0
"""Flows by their statistics: train a decision tree on labelled captures, and judge one."""
