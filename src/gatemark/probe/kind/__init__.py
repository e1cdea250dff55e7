# SPDX-License-Identifier: Apache-2.0
"""The probes, each in the module that plans name it by."""
