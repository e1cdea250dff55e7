# SPDX-License-Identifier: Apache-2.0
"""Our own speed beside named peers, in one run."""
