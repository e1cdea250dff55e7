# SPDX-License-Identifier: Apache-2.0
"""Known tools in our agents' place: the same hosts, CPUs and niceness, the same workload."""
