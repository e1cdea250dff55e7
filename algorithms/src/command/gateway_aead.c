/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aead cipher=chacha20-poly1305|aes-128-gcm|aes-256-gcm size=BYTES operation=seal|open: what a
 * tunnel does to a packet, by the kernel through AF_ALG sockets (one call to send and one to receive
 * each). The driver's name says whether hardware does it. A known answer is checked first.
 */
#include "command/gateway.h"
#include "program/cipher.h"
#include "program/memory.h"
#include "program/record.h"

#include <stdlib.h>
#include <string.h>

enum { PACKETS = 256 };
static const char *const names_of[] = { "chacha20-poly1305", "aes-128-gcm", "aes-256-gcm", NULL };
static const char *const operations[] = { "seal", "open", NULL };

struct aead {
	struct gateway gateway;
	struct cipher cipher;
	uint8_t *input, *output;
	uint32_t size;
	int open;
};

/* The last 4 bytes of what came out: of the tag, or of the text. */
static uint32_t last(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static void pass(void *state)
{
	struct aead *aead = state;
	uint32_t out = aead->open ? aead->size : aead->size + CIPHER_TAG;

	for (uint32_t i = 0; i < PACKETS; i++) {
		uint8_t nonce[CIPHER_NONCE] = { (uint8_t)i };
		int done = aead->open ? cipher_open(&aead->cipher, nonce,
						    aead->input +
							    (size_t)i * (aead->size + CIPHER_TAG),
						    aead->size + CIPHER_TAG, aead->output)
				      : cipher_seal(&aead->cipher, nonce, aead->input, aead->size,
						    aead->output);

		if (done < 0)
			fail(1, "the kernel's cipher failed");
		aead->gateway.results[i] = last(aead->output + out - 4);
	}
}

static void build(struct aead *aead)
{
	size_t sealed = aead->size + CIPHER_TAG;
	uint8_t *text = memory_new(aead->size, 1);

	gateway_fill(text, aead->size, 1);
	aead->input = memory_new(PACKETS, sealed);
	aead->output = memory_new(1, sealed);
	memcpy(aead->input, text, aead->size);
	for (uint32_t i = 0; aead->open && i < PACKETS; i++) {
		uint8_t nonce[CIPHER_NONCE] = { (uint8_t)i };

		if (cipher_seal(&aead->cipher, nonce, text, aead->size, aead->input + i * sealed) <
		    0)
			fail(1, "the kernel's cipher failed");
	}
	free(text);
	aead->gateway.bytes = aead->open ? PACKETS * sealed : aead->size;
}

int gateway_aead(struct ask *ask, const char *name)
{
	struct aead aead = { .size = (uint32_t)ask_number(ask, "size", 1420, 16, 16384) };
	int choice = ask_choice(ask, "cipher", names_of);
	static const uint8_t key[32] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const char *why;

	aead.open = ask_choice(ask, "operation", operations);
	gateway_build(&aead.gateway, ask, PACKETS);
	why = cipher_known_answers(names_of[choice]);
	if (!why)
		why = cipher_init(&aead.cipher, names_of[choice], key);
	if (why)
		return gateway_skipped(&aead.gateway, name, why);
	build(&aead);
	gateway_time(&aead.gateway, NULL, pass, &aead, PACKETS);
	gateway_record(&aead.gateway, name, "kernel");
	record_text("cipher", names_of[choice]);
	record_text("driver", aead.cipher.driver);
	record_text("operation", operations[aead.open]);
	record_number("size", aead.size);
	cipher_free(&aead.cipher);
	free(aead.input);
	free(aead.output);
	return gateway_end(&aead.gateway, PACKETS);
}
