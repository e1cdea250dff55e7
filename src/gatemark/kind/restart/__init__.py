# SPDX-License-Identifier: Apache-2.0
"""UDP at a rate while the gateway is restarted."""
