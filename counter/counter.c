// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts the instructions that a guest runs: a plugin for QEMU's emulation (TCG).
 *
 *   qemu-system-mipsel -plugin counter-1.so,out=FILE[,path=on][,cache=I:D]...[,data=L1[:L2]]
 *                      [,cpus=on]
 *
 * Each block of translated code gets a slot in FILE (table.h) and adds to it whenever it runs. With
 * path=on blocks are recorded in order while the reader holds a window open. With caches
 * (cache.h) fetches and accesses go through them too, and with data= those of marked programs
 * (region.h); all of it costs time in the emulator, but no instruction in the guest.
 *
 * With cpus=on the instructions of each virtual processor are counted, too. All of them have to take
 * turns in one thread (-accel tcg,thread=single): of what two add to a counter at the same time, a
 * part would be lost.
 */
#include "cache.h"
#include "plugin.h"
#include "region.h"
#include "table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PUBLIC int qemu_plugin_version = INTERFACE;

static struct {
	struct table table;
	struct caches caches;
	struct levels levels; /* of what marked programs access */
	bool cpus; /* count each virtual processor's, too */
	bool path; /* record blocks in order while a window is open */
} counter;

/*
 * What the caches need to know of a block. It fits into the pointer that a callback is given, so a
 * block is modelled even if it shares its slot or has none.
 */
union modelled {
	void *data;
	struct {
		uint64_t address : 32; /* of a 32-bit MIPS */
		uint64_t length : 10; /* TCG puts 512 instructions into a block at most */
		uint64_t multiplies : 10;
		uint64_t divides : 10;
	};
};

_Static_assert(sizeof(union modelled) == sizeof(void *), "a pointer has no room for a block");

/* A number travels in the pointer that a callback is given, as a place in `runs`. */
static void *packed(size_t number)
{
	return counter.table.runs + number;
}

static size_t unpacked(const void *data)
{
	return (size_t)((const uint64_t *)data - counter.table.runs);
}

static bool modelling(void)
{
	return counter.caches.pairs &&
	       __atomic_load_n(&counter.table.head->modelling, __ATOMIC_RELAXED);
}

static void on_model(unsigned int vcpu, void *data)
{
	union modelled block = { .data = data };
	struct head *head = counter.table.head;

	(void)vcpu;
	if (!modelling())
		return;
	head->blocks++;
	head->multiplies += block.multiplies;
	head->divides += block.divides;
	caches_fetch(&counter.caches, head, block.address, block.length);
}

static void on_run(unsigned int vcpu, void *data)
{
	size_t slot = unpacked(data);
	struct table *table = &counter.table;

	(void)vcpu;
	if (INTERFACE >= 2) {
		table->runs[slot]++;
		table->head->total += table->length[slot];
	}
	table_pass(table, slot);
}

/* A block without a slot: only its length is known. */
static void on_run_lost(unsigned int vcpu, void *data)
{
	(void)vcpu;
	counter.table.head->total += unpacked(data);
}

static void on_cpu(unsigned int vcpu, void *data)
{
	counter.table.head->cpu[vcpu % MOST_CPUS] += unpacked(data);
}

static void on_access(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	(void)vcpu;
	(void)data;
	if (modelling())
		caches_access(&counter.caches, counter.table.head, address,
			      qemu_plugin_mem_is_store(info));
}

static void on_region_run(unsigned int vcpu, void *data)
{
	(void)vcpu;
	region_run(counter.table.head, unpacked(data));
}

static void on_region_access(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	(void)vcpu;
	(void)data;
	region_access(&counter.levels, counter.table.head, address, qemu_plugin_mem_is_store(info));
}

static void count(struct qemu_plugin_tb *block, size_t slot, uint64_t length)
{
#if INTERFACE < 2
	struct table *table = &counter.table;

	qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64,
						 &table->runs[slot], 1);
	qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64,
						 &table->head->total, length);
#else
	(void)length;
#endif
	if (INTERFACE >= 2 || counter.path)
		qemu_plugin_register_vcpu_tb_exec_cb(block, on_run, QEMU_PLUGIN_CB_NO_REGS,
						     packed(slot));
}

static bool begins(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

/* Registers for an instruction's accesses, and notes whether it takes several cycles. */
static void watch(struct qemu_plugin_insn *insn, union modelled *block)
{
	char *word = qemu_plugin_insn_disas(insn);

	qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_RW, NULL);
	if (!word)
		return;
	if (begins(word, "mul") || begins(word, "madd") || begins(word, "msub"))
		block->multiplies++;
	else if (begins(word, "div"))
		block->divides++;
	free(word);
}

static void model(struct qemu_plugin_tb *tb, uint64_t length)
{
	union modelled block = { .data = NULL };

	block.address = (uint32_t)qemu_plugin_tb_vaddr(tb);
	block.length = length & 0x3ff; /* QEMU's blocks have at most 512 */
	for (size_t at = 0; at < length; at++)
		watch(qemu_plugin_tb_get_insn(tb, at), &block);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_model, QEMU_PLUGIN_CB_NO_REGS, block.data);
}

/*
 * The key of a block: each program starts somewhere else, so that user space would fill the table
 * within minutes, and the place in there is of no interest.
 */
static uint64_t key(uint64_t address)
{
	bool user = address < 0x80000000U || (address > UINT32_MAX && !(address >> 63));

	return user ? 0 : address;
}

static void watch_program(struct qemu_plugin_tb *block, uint64_t length)
{
	qemu_plugin_register_vcpu_tb_exec_cb(block, on_region_run, QEMU_PLUGIN_CB_NO_REGS,
					     packed(length));
	for (size_t at = 0; at < length; at++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, at),
						 on_region_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
}

static void on_translated(uint64_t id, struct qemu_plugin_tb *block)
{
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	uint64_t length = qemu_plugin_tb_n_insns(block);
	uint64_t address = key(qemu_plugin_tb_vaddr(block));
	size_t slot;

	(void)id;
	pthread_mutex_lock(&one_at_a_time);
	slot = table_slot(&counter.table, address, length);
	pthread_mutex_unlock(&one_at_a_time);
	if (slot == SLOTS)
		qemu_plugin_register_vcpu_tb_exec_cb(block, on_run_lost, QEMU_PLUGIN_CB_NO_REGS,
						     packed(length));
	else
		count(block, slot, length);
	if (counter.cpus)
		qemu_plugin_register_vcpu_tb_exec_cb(block, on_cpu, QEMU_PLUGIN_CB_NO_REGS,
						     packed(length));
	if (counter.caches.pairs)
		model(block, length);
	if (counter.levels.count && !address)
		watch_program(block, length);
}

static bool understood(const char *word, const char **out)
{
	if (begins(word, "out=")) {
		*out = word + strlen("out=");
		return true;
	}
	if (begins(word, "path=")) {
		counter.path = strcmp(word, "path=on") == 0;
		return true;
	}
	if (begins(word, "cpus=")) {
		counter.cpus = strcmp(word, "cpus=on") == 0;
		return true;
	}
	if (begins(word, "cache="))
		return caches_add(&counter.caches, word + strlen("cache="));
	if (begins(word, "data="))
		return levels_read(&counter.levels, word + strlen("data="));
	(void)fprintf(stderr,
		      "counter: %s: known are out=FILE, path=on, cpus=on, cache=I:D, data=L1:L2\n",
		      word);
	return false;
}

/* The caches take every instruction to be of 4 bytes, and know which addresses are not cached. */
static bool modelled(const char *target)
{
	if (!counter.caches.pairs || begins(target, "mips"))
		return true;
	(void)fprintf(stderr, "counter: cache=I:D is for MIPS, and this is %s\n", target);
	return false;
}

int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc, char **argv)
{
	const char *out = NULL;

	for (int i = 0; i < argc; i++)
		if (!understood(argv[i], &out))
			return -1;
	if (!out) {
		(void)fprintf(stderr, "counter: give the file to count in: out=FILE\n");
		return -1;
	}
	if (!modelled(info->target_name) || !table_open(&counter.table, out))
		return -1;
	counter.table.head->pairs = counter.caches.pairs;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
	return 0;
}
