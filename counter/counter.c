// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts what a guest executes: a plugin for QEMU's emulation (TCG).
 *
 *   qemu-system-mipsel -plugin counter-1.so,out=FILE[,path=on][,cache=I:D]
 *
 * Each block of translated code gets a slot in FILE (table.h) and adds to it whenever it runs. With
 * path=on blocks are written down in order while the reader holds a window open. With a cache model
 * (cache.h) fetches and accesses go through it too; both cost time in the emulator, and not one
 * instruction in the guest.
 *
 * One virtual processor: what two add to one counter at once would be lost.
 */
#include "cache.h"
#include "plugin.h"
#include "table.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

PUBLIC int qemu_plugin_version = INTERFACE;

static struct {
	struct table table;
	struct caches caches;
	bool path;   /* write blocks down in order while a window is open */
	bool cached; /* with a cache model */
} counter;

/* The slot travels in the pointer that a callback is given. */
static void *packed(size_t slot)
{
	return (void *)(uintptr_t)slot;
}

static void count(uint64_t *counted, uint64_t by)
{
	__atomic_store_n(counted, *counted + by, __ATOMIC_RELEASE);
}

static void on_run(unsigned int vcpu, void *data)
{
	size_t slot = (size_t)(uintptr_t)data;
	struct table *table = &counter.table;

	(void)vcpu;
	if (INTERFACE >= 2) {
		count(&table->runs[slot], 1);
		count(&table->head->total, table->length[slot]);
	}
	if (counter.cached)
		caches_fetch(&counter.caches, table->address[slot], table->length[slot]);
	table_pass(table, slot);
}

/* The block that found no slot: its length is all that is known of it. */
static void on_run_lost(unsigned int vcpu, void *data)
{
	(void)vcpu;
	count(&counter.table.head->total, (uint64_t)(uintptr_t)data);
}

static void on_access(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	(void)vcpu;
	(void)data;
	caches_access(&counter.caches, address, qemu_plugin_mem_is_store(info));
}

static void count_inline(struct qemu_plugin_tb *block, size_t slot, uint64_t length)
{
#if INTERFACE < 2
	struct table *table = &counter.table;

	qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64,
						 &table->runs[slot], 1);
	qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64,
						 &table->head->total, length);
#else
	(void)block;
	(void)slot;
	(void)length;
#endif
}

/*
 * Programs lie elsewhere whenever they start, and would fill the table. They are one function, so
 * one place does for all their blocks. Kernels are in the upper half of 64 or of 32 bits.
 */
static uint64_t place_of(const struct qemu_plugin_tb *block)
{
	uint64_t address = qemu_plugin_tb_vaddr(block);

	return address >> 63 || address >> 31 == 1 ? address : 0;
}

static void on_translated(uint64_t id, struct qemu_plugin_tb *block)
{
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	uint64_t length = qemu_plugin_tb_n_insns(block);
	size_t slot;

	(void)id;
	pthread_mutex_lock(&one_at_a_time);
	slot = table_slot(&counter.table, place_of(block), length);
	pthread_mutex_unlock(&one_at_a_time);
	if (slot == SLOTS) {
		qemu_plugin_register_vcpu_tb_exec_cb(block, on_run_lost, QEMU_PLUGIN_CB_NO_REGS,
						     packed((size_t)length));
		return;
	}
	count_inline(block, slot, length);
	if (INTERFACE >= 2 || counter.path || counter.cached)
		qemu_plugin_register_vcpu_tb_exec_cb(block, on_run, QEMU_PLUGIN_CB_NO_REGS,
						     packed(slot));
	for (size_t i = 0; counter.cached && i < length; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), on_access,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

static const char *value_of(const char *word, const char *key)
{
	size_t length = strlen(key);

	return strncmp(word, key, length) || word[length] != '=' ? NULL : word + length + 1;
}

static bool understood(const char *word, const char **out)
{
	const char *value;

	if ((value = value_of(word, "out"))) {
		*out = value;
		return true;
	}
	if ((value = value_of(word, "path"))) {
		counter.path = !strcmp(value, "on");
		return true;
	}
	if ((value = value_of(word, "cache"))) {
		counter.cached = caches_read(&counter.caches, value);
		return counter.cached;
	}
	return false;
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	const char *out = NULL;

	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!understood(argv[i], &out)) {
			(void)fprintf(stderr, "counter: %s: known are out=FILE, path=on, cache=I:D\n",
				      argv[i]);
			return -1;
		}
	}
	if (!out) {
		(void)fprintf(stderr, "counter: out=FILE says where to count\n");
		return -1;
	}
	if (!table_open(&counter.table, out))
		return -1;
	caches_count(&counter.caches, counter.table.head);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
	return 0;
}
