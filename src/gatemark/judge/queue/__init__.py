# SPDX-License-Identifier: Apache-2.0
"""What the delay of a flow tells of a queue that others fill: pure functions over its packets."""
