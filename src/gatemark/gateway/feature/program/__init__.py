# SPDX-License-Identifier: Apache-2.0
"""Features that are programs: they run on the gateway while a trial does (gateway/program.py)."""
