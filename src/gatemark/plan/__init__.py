# SPDX-License-Identifier: Apache-2.0
"""Plans as data, from TOML to trials in order."""
