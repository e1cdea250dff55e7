# SPDX-License-Identifier: Apache-2.0
"""The image of a virtual gateway: a stock kernel, and a small root file system that we build."""
