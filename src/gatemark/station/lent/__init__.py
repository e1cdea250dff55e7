# SPDX-License-Identifier: Apache-2.0
"""What a host has of us for a while, and who has to be told of it."""
