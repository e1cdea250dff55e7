# SPDX-License-Identifier: Apache-2.0
"""A file about a station that may be handed to a stranger who is to help."""
