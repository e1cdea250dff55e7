// SPDX-License-Identifier: Apache-2.0
/* How the agent introduces itself: the hello of PROTOCOL.md. */
#ifndef GM_VERSION_H
#define GM_VERSION_H

#define AGENT_VERSION "0.2.0"
#define AGENT_PROTOCOL 1

#if defined(__x86_64__)
#define AGENT_ARCH "x86_64"
#elif defined(__aarch64__)
#define AGENT_ARCH "aarch64"
#elif defined(__arm__)
#define AGENT_ARCH "armv7"
#elif defined(__mips__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AGENT_ARCH "mipsel"
#elif defined(__mips__)
#define AGENT_ARCH "mips"
#else
#define AGENT_ARCH "other"
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AGENT_ENDIAN "little"
#else
#define AGENT_ENDIAN "big"
#endif

#endif
