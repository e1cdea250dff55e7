/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that are inlined even where a compiler finds them too large: only so does a constant
 * argument, such as the bits of a node, reach their loops.
 */
#ifndef GM_COMMON_INLINE_H
#define GM_COMMON_INLINE_H

#ifdef __GNUC__
#define GM_INLINE static inline __attribute__((always_inline))
#else
#define GM_INLINE static inline
#endif

#endif
