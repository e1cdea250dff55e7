# SPDX-License-Identifier: Apache-2.0
"""`[keep] pcapng = true`: the packets around what went wrong in a trial."""
