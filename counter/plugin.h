/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of QEMU's plugin interface that we use, as documented (docs/devel/tcg-plugins).
 * Distributions ship no header; these few declarations stand in for it.
 *
 * INTERFACE is the number that the object asks for: 1 for QEMU 4.2 to 8.2, which can add to a
 * counter inline; 2 for QEMU 9.0 and later, which removed that, so every block calls us.
 */
#ifndef GATEMARK_PLUGIN_H
#define GATEMARK_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef INTERFACE
#define INTERFACE 1
#endif

#define PUBLIC __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* QEMU's description of itself; more follows what we read. */
struct qemu_plugin_info {
	const char *target_name; /* mipsel, x86_64, aarch64 */
};

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
	QEMU_PLUGIN_MEM_W,
	QEMU_PLUGIN_MEM_RW,
};

typedef void (*translated_fn)(uint64_t id, struct qemu_plugin_tb *block);
typedef void (*executed_fn)(unsigned int vcpu, void *data);
typedef void (*accessed_fn)(unsigned int vcpu, uint32_t info, uint64_t address, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, translated_fn fn);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, executed_fn fn,
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, accessed_fn fn,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data);
#if INTERFACE < 2
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, enum qemu_plugin_op op,
					      void *counter, uint64_t value);
#endif

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t at);
bool qemu_plugin_mem_is_store(uint32_t info);
/* The instruction in words, for the caller to free. */
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);

extern PUBLIC int qemu_plugin_version; /* the interface that the object asks for */

PUBLIC int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc,
			       char **argv);

#endif
