# SPDX-License-Identifier: Apache-2.0
"""Set the gateway: each path and feature applies itself and returns what undoes it."""
