# SPDX-License-Identifier: Apache-2.0
"""The first answer: short, narrow, with what a reader compares."""
