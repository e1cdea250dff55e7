# SPDX-License-Identifier: Apache-2.0
"""Campaigns: many builds on many stations; the ledger schedules, executors carry."""
