# SPDX-License-Identifier: Apache-2.0
"""What several tests look at is made once, but where mutants are tried.

There each test has to call what it looks at: mutmut asks which test calls which function, and its
forks would find what was made before the mutant.
"""

import os
from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

Result = TypeVar("Result")
Words = ParamSpec("Words")


def known(make: Callable[Words, Result]) -> Callable[Words, Result]:
    """`make`, called once for the same arguments. Nobody may change what it returns."""
    made = cache(make)

    @wraps(make)
    def result(*args: Words.args, **keys: Words.kwargs) -> Result:
        if os.environ.get("MUTANT_UNDER_TEST"):
            return make(*args, **keys)
        return made(*args, **keys)  # type: ignore[arg-type]  # which can be hashed

    return result
