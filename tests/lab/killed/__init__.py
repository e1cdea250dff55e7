# SPDX-License-Identifier: Apache-2.0
"""Programs that are killed at random moments, each on a machine of its own made of namespaces."""
