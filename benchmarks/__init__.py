# SPDX-License-Identifier: Apache-2.0
"""Our own speed compared with named peers, in one run."""
