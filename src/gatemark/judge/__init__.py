# SPDX-License-Identifier: Apache-2.0
"""Judge a run: intervals, knees, limits and warnings from records; pure, no I/O."""
