# SPDX-License-Identifier: Apache-2.0
"""The run that a verb reads: where it is, whether all of it is there, and its answer."""
