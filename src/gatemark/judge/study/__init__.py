# SPDX-License-Identifier: Apache-2.0
"""What studies print and claim of one run: CPU load over rates, blocks of a path."""
