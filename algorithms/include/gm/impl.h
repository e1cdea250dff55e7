/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The implementations of a structure: portable C, and paths for the instructions that some
 * processors have. All give the same results. A structure begins with the best that runs here;
 * set its `impl` to compare.
 */
#ifndef GM_IMPL_H
#define GM_IMPL_H

enum gm_impl { GM_PORTABLE, GM_AVX2, GM_AVX512, GM_IMPLS };

/* Whether this processor, and the library as it was compiled, can run it. */
int gm_impl_runs(enum gm_impl impl);

/* "portable", "avx2" or "avx512". */
const char *gm_impl_name(enum gm_impl impl);

#endif
