# SPDX-License-Identifier: Apache-2.0
"""What is known before a run: what this machine can run, and which arms would be skipped."""
