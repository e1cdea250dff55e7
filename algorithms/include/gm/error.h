/* SPDX-License-Identifier: Apache-2.0 */
/* What a function of the library returns where it can fail: 0, or one of these. */
#ifndef GM_ERROR_H
#define GM_ERROR_H

enum gm_error {
	GM_OK = 0,
	GM_NO_MEMORY = -1, /* an allocation failed; nothing was kept */
	GM_BAD_ARGUMENT = -2, /* a size that the structure cannot have */
	GM_FULL = -3, /* no room for this key; those added before are still in it */
	GM_NOT_BUILT = -4, /* the construction, which depends on chance, failed every time */
};

#endif
