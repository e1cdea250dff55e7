# SPDX-License-Identifier: Apache-2.0
"""What each kind of workload finds in a trial: values, evidence, series. Named as in `workload`."""
