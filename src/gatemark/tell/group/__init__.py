# SPDX-License-Identifier: Apache-2.0
"""Records put together for a figure: what belongs on one axis, in one line, in one bar."""
