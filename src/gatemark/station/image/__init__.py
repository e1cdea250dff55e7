# SPDX-License-Identifier: Apache-2.0
"""What a virtual gateway boots: a stock kernel, and a small root file system that we build."""
