# SPDX-License-Identifier: Apache-2.0
"""Applications, one a file: what runs at both ends, when it is under way, what it is judged by."""
