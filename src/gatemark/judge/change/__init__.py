# SPDX-License-Identifier: Apache-2.0
"""Two things compared: arms of a plan, runs, gateways, a published value beside ours."""
