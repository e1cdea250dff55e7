# SPDX-License-Identifier: Apache-2.0
"""Do it: trials in order, each with its life cycle, gates and record."""
