# SPDX-License-Identifier: Apache-2.0
"""One verb, one file: the command line."""
