# SPDX-License-Identifier: Apache-2.0
"""Gatemark as its users have it: built as a wheel, installed far from its repository."""
