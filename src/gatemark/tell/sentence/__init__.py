# SPDX-License-Identifier: Apache-2.0
"""The answer of a run in words: a file a question, and the order in which they are asked."""
