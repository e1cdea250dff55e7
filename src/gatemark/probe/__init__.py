# SPDX-License-Identifier: Apache-2.0
"""Watch the gateway while it works."""
