# SPDX-License-Identifier: Apache-2.0
"""Options of the command line that several verbs have, and what they mean."""
