# SPDX-License-Identifier: Apache-2.0
"""What verbs print that is no answer of one run: diff, cmp, ab, fit."""
