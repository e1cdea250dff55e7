# SPDX-License-Identifier: Apache-2.0
"""Real applications: a call, a page, typing, played by the programs that people use."""
