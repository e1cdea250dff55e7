# SPDX-License-Identifier: Apache-2.0
"""The kinds of workload: a folder each."""
