# SPDX-License-Identifier: Apache-2.0
"""What is judged and printed of made records, as it was accepted."""
