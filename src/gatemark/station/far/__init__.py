# SPDX-License-Identifier: Apache-2.0
"""A far end for a tunnel of the gateway, in user space on the tester's side."""
