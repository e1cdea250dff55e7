# SPDX-License-Identifier: Apache-2.0
"""An emulated access line before the WAN host."""
