# SPDX-License-Identifier: Apache-2.0
"""Real traffic in labs made of namespaces."""
