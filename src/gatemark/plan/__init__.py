# SPDX-License-Identifier: Apache-2.0
"""What to measure: plans as data, from TOML to trials in order."""
