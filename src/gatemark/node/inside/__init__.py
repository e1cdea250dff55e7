# SPDX-License-Identifier: Apache-2.0
"""What stays in a host for a run, so that a trial starts next to nothing there."""
