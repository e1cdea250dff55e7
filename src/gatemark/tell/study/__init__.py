# SPDX-License-Identifier: Apache-2.0
"""Runs beside the studies that asked for them: what is answered, and by which figure."""
