# SPDX-License-Identifier: Apache-2.0
"""Stations: built, reached, taken down; and the host as it was before."""
