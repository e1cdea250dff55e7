# SPDX-License-Identifier: Apache-2.0
"""The shape of loss: rules that name what is wrong, in the order in which they explain loss."""
