#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scipy 1.17.1, statsmodels 0.15.0: the Brunner-Munzel test has no answer to the clearest difference.
#
# The test is advised for benchmarks, whose arms differ in spread: no equal variances, no normal law.
# The farther apart two samples are the smaller p should be, and it is: 2e-23 where one value of ten
# is shared. With none shared, as two versions of which one is plainly slower yield, no rank has any
# spread, and p is nan: `p < .05` is false, and the regression that anyone sees passes the gate. So is
# the interval of statsmodels: (nan, nan). For small samples scipy's manual advises to permute the
# statistic; its permutation_test then says 0 of 3 against 3, where 2 of the 20 orders are as extreme:
# its tolerance is a part of the infinite statistic, and inf - inf is nan. So one advice does not see
# the clearest case, and the other overstates it. scipy warns on stderr. Mann-Whitney and Welch answer.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q scipy==1.17.1 statsmodels==0.15.0
cat >separated.py <<'PYTHON'
import math
import sys
import warnings

import scipy.stats
from statsmodels.stats.nonparametric import rank_compare_2indep

warnings.simplefilter("ignore")
fast = list(range(1, 11))
p = {}
for name, slow in (("one value shared", [10, *range(12, 21)]), ("none shared", list(range(11, 21)))):
    compared = rank_compare_2indep(fast, slow)
    p[name] = {
        "brunnermunzel": scipy.stats.brunnermunzel(fast, slow).pvalue,
        "statsmodels": compared.pvalue,
        "mannwhitneyu": scipy.stats.mannwhitneyu(fast, slow).pvalue,
        "welch": scipy.stats.ttest_ind(fast, slow, equal_var=False).pvalue,
    }
    print(name, {test: f"{value:.2g}" for test, value in p[name].items()})
    print(f"  interval of statsmodels: {compared.conf_int()}")
shared, separated = p.values()
none = {name for name, value in separated.items() if math.isnan(value)}
print("without an answer:", sorted(none))
permuted = scipy.stats.permutation_test(
    ([1, 2, 3], [4, 5, 6]),
    lambda few, others: scipy.stats.brunnermunzel(few, others).statistic,
    vectorized=False,
    n_resamples=math.inf,
).pvalue
exact = scipy.stats.mannwhitneyu([1, 2, 3], [4, 5, 6], method="exact").pvalue
print(f"3 against 3, all orders: permuted {permuted}, exact Mann-Whitney {exact}")
sys.exit(not (none == {"brunnermunzel", "statsmodels"} and max(shared.values()) < 0.001 and permuted == 0))
PYTHON
venv/bin/python separated.py
