/* SPDX-License-Identifier: Apache-2.0 */
#include "program/cipher.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* As in <linux/if_alg.h>, which not every toolchain brings. */
enum { FAMILY_ALG = 38, SOL_ALGORITHM = 279 };
enum { SET_KEY = 1, SET_IV = 2, SET_OP = 3, SET_ASSOCIATED = 4, SET_TAG_SIZE = 5 };
enum { DECRYPT = 0, ENCRYPT = 1 };

struct address {
	uint16_t family;
	uint8_t type[14];
	uint32_t feature, mask;
	uint8_t name[64];
};

struct nonce {
	uint32_t size;
	uint8_t bytes[CIPHER_NONCE];
};

static const struct {
	const char *name, *kernel;
	uint32_t key_bytes;
} ciphers[] = {
	{ "chacha20-poly1305", "rfc7539(chacha20,poly1305)", 32 },
	{ "aes-128-gcm", "gcm(aes)", 16 },
	{ "aes-256-gcm", "gcm(aes)", 32 },
};

/* What the kernel takes of several that do the same: the one of highest priority. */
static void find_driver(struct cipher *cipher, const char *kernel)
{
	FILE *file = fopen("/proc/crypto", "re");
	char line[160], name[128] = "", driver[64] = "";
	int priority, highest = -1;

	strcpy(cipher->driver, "unknown");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "name : %127s", name) == 1 ||
		    sscanf(line, "driver : %63s", driver) == 1)
			continue;
		if (sscanf(line, "priority : %d", &priority) == 1 && strcmp(name, kernel) == 0 &&
		    priority > highest) {
			highest = priority;
			memcpy(cipher->driver, driver, sizeof(driver));
		}
	}
	if (file)
		fclose(file);
}

const char *cipher_init(struct cipher *cipher, const char *name, const uint8_t *key)
{
	struct address address = { .family = FAMILY_ALG, .type = "aead" };
	static const uint8_t tag[CIPHER_TAG]; /* its size alone counts */
	size_t i = 0;

	while (strcmp(ciphers[i].name, name) != 0)
		i++;
	memcpy(address.name, ciphers[i].kernel, strlen(ciphers[i].kernel));
	cipher->operation = -1;
	cipher->associated = 0;
	cipher->socket = socket(FAMILY_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (cipher->socket < 0)
		return "this kernel has no AF_ALG sockets (CONFIG_CRYPTO_USER_API_AEAD)";
	if (bind(cipher->socket, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
	    setsockopt(cipher->socket, SOL_ALGORITHM, SET_KEY, key, ciphers[i].key_bytes) == 0 &&
	    setsockopt(cipher->socket, SOL_ALGORITHM, SET_TAG_SIZE, tag, sizeof(tag)) == 0)
		cipher->operation = accept(cipher->socket, NULL, NULL);
	if (cipher->operation < 0) {
		cipher_free(cipher);
		return "this kernel has not the cipher";
	}
	find_driver(cipher, ciphers[i].kernel);
	return NULL;
}

void cipher_free(struct cipher *cipher)
{
	close(cipher->socket);
	if (cipher->operation >= 0)
		close(cipher->operation);
}

/* Writes a control message; the next one begins at what is returned. */
static uint8_t *control(uint8_t *at, int type, const void *data, size_t size)
{
	struct cmsghdr header = { 0 };

	header.cmsg_level = SOL_ALGORITHM;
	header.cmsg_type = type;
	header.cmsg_len = (socklen_t)CMSG_LEN(size);
	memcpy(at, &header, sizeof(header));
	memcpy(at + CMSG_LEN(0), data, size);
	return at + CMSG_SPACE(size);
}

/* One packet: sent with its nonce, and the `out` bytes that become of it received. */
static int run(const struct cipher *cipher, uint32_t operation, const uint8_t *nonce,
	       struct iovec input, struct iovec output)
{
	union {
		struct cmsghdr header;
		uint8_t bytes[CMSG_SPACE(4) + CMSG_SPACE(sizeof(struct nonce)) + CMSG_SPACE(4)];
	} buffer;
	struct msghdr message = { 0 };
	struct nonce iv = { CIPHER_NONCE, { 0 } };
	uint8_t *at;

	memset(&buffer, 0, sizeof(buffer));
	memcpy(iv.bytes, nonce, CIPHER_NONCE);
	message.msg_iov = &input;
	message.msg_iovlen = 1;
	message.msg_control = buffer.bytes;
	message.msg_controllen = sizeof(buffer.bytes);
	at = control(buffer.bytes, SET_OP, &operation, 4);
	at = control(at, SET_IV, &iv, sizeof(iv));
	control(at, SET_ASSOCIATED, &cipher->associated, 4);
	if (sendmsg(cipher->operation, &message, 0) != (ssize_t)input.iov_len)
		return -1;
	return read(cipher->operation, output.iov_base, output.iov_len) == (ssize_t)output.iov_len
		       ? 0
		       : -1;
}

static struct iovec part(const uint8_t *bytes, size_t size)
{
	struct iovec part = { NULL, size };

	/* What is sent is not written to, but iovec has no const. */
	memcpy((void *)&part.iov_base, (const void *)&bytes, sizeof(bytes));
	return part;
}

int cipher_seal(struct cipher *cipher, const uint8_t *nonce, const uint8_t *text, uint32_t size,
		uint8_t *sealed)
{
	return run(cipher, ENCRYPT, nonce, part(text, size), part(sealed, size + CIPHER_TAG));
}

int cipher_open(struct cipher *cipher, const uint8_t *nonce, const uint8_t *sealed, uint32_t size,
		uint8_t *text)
{
	return run(cipher, DECRYPT, nonce, part(sealed, size), part(text, size - CIPHER_TAG));
}

/* AES-GCM of one block of zeros, keys of zeros (test cases 2 and 14 of the GCM specification). */
static const uint8_t gcm_128[CIPHER_TAG] = { 0xab, 0x6e, 0x47, 0xd4, 0x2c, 0xec, 0x13, 0xbd,
					     0xf5, 0x3a, 0x67, 0xb2, 0x12, 0x57, 0xbd, 0xdf };
static const uint8_t gcm_256[CIPHER_TAG] = { 0xd0, 0xd1, 0xc8, 0xa7, 0x99, 0x99, 0x6b, 0xf0,
					     0x26, 0x5b, 0x98, 0xb5, 0xd4, 0x8a, 0xb9, 0x19 };

static const uint8_t zeros[32];

/* RFC 8439, 2.8.2: the associated data, then the text. */
static const char text_8439[] =
	"PQRS\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7"
	"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
	"future, sunscreen would be it.";
static const uint8_t nonce_8439[CIPHER_NONCE] = { 7,	0,    0,    0,	  0x40, 0x41,
						  0x42, 0x43, 0x44, 0x45, 0x46, 0x47 };
static const uint8_t tag_8439[CIPHER_TAG] = { 0x1a, 0xe1, 0x0b, 0x59, 0x4f, 0x09, 0xe2, 0x6a,
					      0x7e, 0x90, 0x2e, 0xcb, 0xd0, 0x60, 0x06, 0x91 };

struct answer {
	const uint8_t *nonce, *text, *tag;
	uint32_t size, associated;
};

/* Whether a text gets its tag, and is opened again. */
static const char *answers(struct cipher *cipher, const struct answer *answer)
{
	uint8_t sealed[sizeof(text_8439) + CIPHER_TAG], text[sizeof(text_8439)];

	cipher->associated = answer->associated;
	if (cipher_seal(cipher, answer->nonce, answer->text, answer->size, sealed) < 0)
		return "the kernel's cipher fails";
	if (memcmp(sealed + answer->size, answer->tag, CIPHER_TAG) != 0)
		return "the kernel's cipher gives a wrong tag";
	if (cipher_open(cipher, answer->nonce, sealed, answer->size + CIPHER_TAG, text) < 0 ||
	    memcmp(text, answer->text, answer->size) != 0)
		return "the kernel's cipher does not open what it sealed";
	return NULL;
}

const char *cipher_known_answers(const char *name)
{
	const struct answer chacha = { nonce_8439, (const uint8_t *)text_8439, tag_8439,
				       sizeof(text_8439) - 1, 12 };
	struct answer gcm = { zeros, zeros, gcm_128, 16, 0 };
	int is_chacha = strcmp(name, "chacha20-poly1305") == 0;
	struct cipher cipher;
	uint8_t key[32] = { 0 };
	const char *why;

	for (uint8_t i = 0; is_chacha && i < sizeof(key); i++)
		key[i] = (uint8_t)(0x80 + i);
	if (strcmp(name, "aes-256-gcm") == 0)
		gcm.tag = gcm_256;
	why = cipher_init(&cipher, name, key);
	if (why)
		return why;
	why = answers(&cipher, is_chacha ? &chacha : &gcm);
	cipher_free(&cipher);
	return why;
}
