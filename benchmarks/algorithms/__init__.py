# SPDX-License-Identifier: Apache-2.0
"""Our network algorithms beside the best that package registries offer."""
