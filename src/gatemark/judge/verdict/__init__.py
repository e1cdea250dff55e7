# SPDX-License-Identifier: Apache-2.0
"""What people ask of a line under load: its letter, what works meanwhile, which shaper to set."""
