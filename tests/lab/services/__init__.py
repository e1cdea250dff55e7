# SPDX-License-Identifier: Apache-2.0
"""Traffic through a lab: every kind of workload, what held it back, arms against each other."""
