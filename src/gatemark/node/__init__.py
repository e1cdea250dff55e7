# SPDX-License-Identifier: Apache-2.0
"""Talk to a host: run a command there, start our agent there, take its inventory."""
