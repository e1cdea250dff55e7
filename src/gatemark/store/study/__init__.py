# SPDX-License-Identifier: Apache-2.0
"""The rows of five studies, and what shows each."""
