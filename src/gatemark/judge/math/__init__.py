# SPDX-License-Identifier: Apache-2.0
"""Statistics that know nothing of gateways: intervals, exact tests, histograms."""
