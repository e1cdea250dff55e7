# SPDX-License-Identifier: Apache-2.0
"""UDP at a rate, every packet accounted for."""
