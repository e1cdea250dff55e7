# SPDX-License-Identifier: Apache-2.0
"""The way in which all verbs read their words and write their data."""
