# SPDX-License-Identifier: Apache-2.0
"""Flows of real programs in namespaces, with labels by construction, kept as features."""
