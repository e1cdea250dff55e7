/* SPDX-License-Identifier: Apache-2.0 */
/* Authenticated ciphers of the kernel, through AF_ALG sockets (Documentation/crypto/userspace-if). */
#ifndef GM_PROGRAM_CIPHER_H
#define GM_PROGRAM_CIPHER_H

#include <stdint.h>

enum { CIPHER_NONCE = 12, CIPHER_TAG = 16, CIPHER_TEXT_MOST = 16384 };

struct cipher {
	int socket; /* of the key */
	int operation; /* of the packets */
	uint32_t associated; /* bytes at a text's begin that are not enciphered: 0 at first */
	char driver[64]; /* the kernel's name of what does the work */
};

/*
 * Opens chacha20-poly1305, aes-128-gcm or aes-256-gcm with the first 32 or 16 bytes of a key.
 * Returns NULL, or why it is not here.
 */
const char *cipher_init(struct cipher *cipher, const char *name, const uint8_t *key);
void cipher_free(struct cipher *cipher);

/* Seals a text into `sealed`, which gets CIPHER_TAG bytes more. -1 where the kernel fails. */
int cipher_seal(struct cipher *cipher, const uint8_t *nonce, const uint8_t *text, uint32_t size,
		uint8_t *sealed);

/* Opens `size` bytes of text and tag. -1 where the tag is wrong or the kernel fails. */
int cipher_open(struct cipher *cipher, const uint8_t *nonce, const uint8_t *sealed, uint32_t size,
		uint8_t *text);

/* Whether the kernel's cipher gives a published tag: NULL, or why not. */
const char *cipher_known_answers(const char *name);

#endif
