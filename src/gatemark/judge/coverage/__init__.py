# SPDX-License-Identifier: Apache-2.0
"""Which rows of the studies are answered: by what plans declare, and by what runs hold."""
