# SPDX-License-Identifier: Apache-2.0
"""Keep it: records and runs on disk."""
