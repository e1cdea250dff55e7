# SPDX-License-Identifier: Apache-2.0
"""The cards of the first screen."""
