# SPDX-License-Identifier: Apache-2.0
"""What a campaign withstands, costs and finds: see benchmarks/README.md."""
