# SPDX-License-Identifier: Apache-2.0
"""`[line]`: an emulated access line between the gateway's WAN port and the WAN host."""
