# SPDX-License-Identifier: Apache-2.0
"""The words of facts: a part for each subject."""

from gatemark.tell.fact import (
    bottleneck,
    counter,
    group,
    growth,
    level,
    queue,
    reference,
    say,
    service,
    shape,
    warning,
)

for part in (bottleneck, counter, group, growth, level, queue, reference, service, shape, warning):
    say.ENTRIES.update(part.ENTRIES)
