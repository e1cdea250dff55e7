# SPDX-License-Identifier: Apache-2.0
"""What is set on a real gateway, what runs on it and what is read of it."""
