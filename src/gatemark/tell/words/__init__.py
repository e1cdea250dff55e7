# SPDX-License-Identifier: Apache-2.0
"""Words and numbers in print: how a quantity, a load, a rate is written. One place for each."""
