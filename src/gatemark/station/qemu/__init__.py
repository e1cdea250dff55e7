# SPDX-License-Identifier: Apache-2.0
"""Stations of kind `qemu`: a gateway with a kernel of its own in a virtual machine."""
