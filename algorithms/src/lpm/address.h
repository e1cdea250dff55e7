/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a prefix: `192.0.2.0/24`, `2001:db8::/32`. */
#ifndef GM_LPM_ADDRESS_H
#define GM_LPM_ADDRESS_H

#include "gm/prefixes.h"

/* What is still to be read. */
struct gm_text {
	const char *at;
	const char *end;
};

/* Reads the whole text. Returns NULL, or why it is not a prefix. Source: RFC 4291, 2.2 and 2.3. */
const char *gm_address_parse(struct gm_text text, unsigned *family, struct gm_key *key,
			     uint32_t *length);

/* The same of an address without its length: a route to one host. */
const char *gm_address_alone(struct gm_text text, unsigned *family, struct gm_key *key,
			     uint32_t *length);

#endif
