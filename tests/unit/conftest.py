# SPDX-License-Identifier: Apache-2.0
"""What is imported before all tests: what would take long behind them."""

import MLRsearch  # noqa: F401  it reads the source of each module that is loaded by then
