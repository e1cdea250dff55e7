# SPDX-License-Identifier: Apache-2.0
"""`gatemark campaign`: models x builds x suites over stations, with verdicts."""
