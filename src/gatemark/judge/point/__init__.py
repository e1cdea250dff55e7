# SPDX-License-Identifier: Apache-2.0
"""What one point says: its trials together, its limit, its knee, what fits into its table."""
