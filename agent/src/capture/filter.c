// SPDX-License-Identifier: Apache-2.0
/*
 * A classic filter as a prefix. Registers: A is R0, X is R7, the packet R6, and R8 keeps A where an
 * instruction needs R0 meanwhile: a load from the packet spends R0 to R5. The scratch memory M[] is
 * on the stack.
 */
#include "capture/filter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define A BPF_REG_0
#define X BPF_REG_7
#define PACKET BPF_REG_6
#define SPARE BPF_REG_8
#define SPENT BPF_REG_2 /* across no load */
#define EACH_MOST 16 /* instructions that one becomes */
#define NUMBERS 4 /* of an instruction */
/* Where a classic program finds what the kernel keeps of a VLAN tag beside the packet. */
#define TAG ((uint32_t)(SKF_AD_OFF + SKF_AD_VLAN_TAG))
#define TAG_PRESENT ((uint32_t)(SKF_AD_OFF + SKF_AD_VLAN_TAG_PRESENT))

struct translation {
	struct bpf_insn *code;
	size_t count;
	size_t *place; /* where each classic instruction begins; the last: where the filter ends */
	const struct filter *filter;
	size_t at; /* the classic instruction that is being translated */
};

static void emit(struct translation *to, unsigned int code, unsigned int target,
		 unsigned int source, int16_t offset, uint32_t number)
{
	to->code[to->count++] = (struct bpf_insn){
		.code = (uint8_t)code,
		.dst_reg = target & 15u,
		.src_reg = source & 15u,
		.off = offset,
		.imm = (int32_t)number,
	};
}

static void move(struct translation *to, unsigned int target, unsigned int source)
{
	emit(to, BPF_ALU | BPF_MOV | BPF_X, target, source, 0, 0);
}

static void set(struct translation *to, unsigned int target, uint32_t number)
{
	emit(to, BPF_ALU | BPF_MOV | BPF_K, target, 0, 0, number);
}

/* Distance from the next instruction to a place; the first pass does not know it yet. */
static int16_t distance(const struct translation *to, size_t place)
{
	return (int16_t)((int64_t)place - (int64_t)to->count - 1);
}

static void go(struct translation *to, size_t place)
{
	emit(to, BPF_JMP | BPF_JA, 0, 0, distance(to, place), 0);
}

/* Ends the filter: the packet is not wanted. */
static void refuse(struct translation *to)
{
	set(to, A, 0);
	go(to, to->place[to->filter->count]);
}

static uint32_t load_bytes(uint16_t code)
{
	switch (BPF_SIZE(code)) {
	case BPF_W:
		return 4;
	case BPF_H:
		return 2;
	default:
		return 1;
	}
}

/*
 * Leaves the filter where a load would reach beyond the packet. As 64-bit numbers k + X + bytes
 * cannot wrap.
 */
static void check_load(struct translation *to, uint32_t k, bool indirect, uint32_t bytes)
{
	emit(to, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_3, PACKET, 0, 0); /* its length */
	emit(to, BPF_ALU | BPF_MOV | BPF_K, SPENT, 0, 0, k);
	if (indirect)
		emit(to, BPF_ALU64 | BPF_ADD | BPF_X, SPENT, X, 0, 0);
	emit(to, BPF_ALU64 | BPF_ADD, SPENT, 0, 0, bytes);
	emit(to, BPF_JMP | BPF_JLE | BPF_X, SPENT, BPF_REG_3, 2, 0);
	refuse(to);
}

static bool is_tag(const struct sock_filter *code)
{
	return BPF_CLASS(code->code) == BPF_LD && BPF_MODE(code->code) == BPF_ABS &&
	       (code->k == TAG || code->k == TAG_PRESENT);
}

/* A load of any size has all of it (bpf_convert_filter() in net/core/filter.c). */
static void load_tag(struct translation *to, const struct sock_filter *from)
{
	size_t field = from->k == TAG ? offsetof(struct __sk_buff, vlan_tci)
				      : offsetof(struct __sk_buff, vlan_present);

	emit(to, BPF_LDX | BPF_MEM | BPF_W, A, PACKET, (int16_t)field, 0);
}

static void load_packet(struct translation *to, const struct sock_filter *from, unsigned int mode)
{
	if (is_tag(from)) {
		load_tag(to, from);
		return;
	}
	check_load(to, from->k, mode == BPF_IND, load_bytes(from->code));
	emit(to, BPF_LD | BPF_SIZE(from->code) | mode, 0, mode == BPF_IND ? X : 0, 0, from->k);
}

/* X = 4 * (packet[k] & 15): the length of an IPv4 header. A stays as it is. */
static void load_header_length(struct translation *to, const struct sock_filter *from)
{
	move(to, SPARE, A);
	check_load(to, from->k, false, 1);
	emit(to, BPF_LD | BPF_B | BPF_ABS, 0, 0, 0, from->k);
	emit(to, BPF_ALU | BPF_AND | BPF_K, A, 0, 0, 15);
	emit(to, BPF_ALU | BPF_LSH | BPF_K, A, 0, 0, 2);
	move(to, X, A);
	move(to, A, SPARE);
}

static int16_t scratch(uint32_t cell)
{
	return (int16_t)(4 * (int32_t)cell - 4 * BPF_MEMWORDS);
}

static void load(struct translation *to, const struct sock_filter *from)
{
	unsigned int target = BPF_CLASS(from->code) == BPF_LD ? A : X;

	switch (BPF_MODE(from->code)) {
	case BPF_IMM:
		set(to, target, from->k);
		break;
	case BPF_LEN:
		emit(to, BPF_LDX | BPF_MEM | BPF_W, target, PACKET, 0, 0);
		break;
	case BPF_MEM:
		emit(to, BPF_LDX | BPF_MEM | BPF_W, target, BPF_REG_10, scratch(from->k), 0);
		break;
	case BPF_MSH:
		load_header_length(to, from);
		break;
	default:
		load_packet(to, from, BPF_MODE(from->code));
	}
}

static void compute(struct translation *to, const struct sock_filter *from)
{
	unsigned int operation = BPF_OP(from->code), by = BPF_SRC(from->code);

	if (operation == BPF_NEG) {
		emit(to, BPF_ALU | BPF_NEG, A, 0, 0, 0);
		return;
	}
	/* A classic division by zero ends the filter with 0; the present machine's gives 0. */
	if ((operation == BPF_DIV || operation == BPF_MOD) && by == BPF_X) {
		emit(to, BPF_JMP | BPF_JNE | BPF_K, X, 0, 2, 0);
		refuse(to);
	}
	emit(to, BPF_ALU | operation | by, A, by == BPF_X ? X : 0, 0, by == BPF_X ? 0 : from->k);
}

/* A number is compared as 64 bits and would be widened with its sign: so from a register. */
static void jump(struct translation *to, const struct sock_filter *from)
{
	size_t next = to->at + 1;
	unsigned int with = X;

	if (BPF_OP(from->code) == BPF_JA) {
		go(to, to->place[next + from->k]);
		return;
	}
	if (BPF_SRC(from->code) == BPF_K) {
		set(to, SPENT, from->k);
		with = SPENT;
	}
	emit(to, BPF_JMP | BPF_OP(from->code) | BPF_X, A, with,
	     distance(to, to->place[next + from->jt]), 0);
	go(to, to->place[next + from->jf]);
}

static void translate(struct translation *to, const struct sock_filter *from)
{
	switch (BPF_CLASS(from->code)) {
	case BPF_LD:
	case BPF_LDX:
		load(to, from);
		break;
	case BPF_ST:
		emit(to, BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, A, scratch(from->k), 0);
		break;
	case BPF_STX:
		emit(to, BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, X, scratch(from->k), 0);
		break;
	case BPF_ALU:
		compute(to, from);
		break;
	case BPF_JMP:
		jump(to, from);
		break;
	case BPF_RET:
		if (BPF_RVAL(from->code) == BPF_K)
			set(to, A, from->k);
		go(to, to->place[to->filter->count]);
		break;
	default: /* BPF_MISC */
		move(to, BPF_MISCOP(from->code) == BPF_TAX ? X : A,
		     BPF_MISCOP(from->code) == BPF_TAX ? A : X);
	}
}

/* What a filter may find there is zero: registers and scratch memory. */
static void begin(struct translation *to)
{
	emit(to, BPF_ALU64 | BPF_MOV | BPF_X, PACKET, BPF_REG_1, 0, 0);
	set(to, A, 0);
	set(to, X, 0);
	for (uint32_t cell = 0; cell < BPF_MEMWORDS; cell += 2)
		emit(to, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, scratch(cell), 0);
}

static void end(struct translation *to)
{
	to->place[to->filter->count] = to->count;
	emit(to, BPF_JMP | BPF_JNE | BPF_K, A, 0, 2, 0);
	set(to, A, (uint32_t)-1); /* TC_ACT_UNSPEC */
	emit(to, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	emit(to, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, PACKET, 0, 0);
}

static void pass(struct translation *to)
{
	to->count = 0;
	begin(to);
	for (to->at = 0; to->at < to->filter->count; to->at++) {
		to->place[to->at] = to->count;
		translate(to, &to->filter->code[to->at]);
	}
	end(to);
}

int filter_translate(const struct filter *filter, struct filter_prefix *prefix)
{
	struct translation to = { .filter = filter };

	*prefix = (struct filter_prefix){ 0 };
	if (!filter->count)
		return 0;
	to.place = calloc(filter->count + 1, sizeof(*to.place));
	to.code = calloc(EACH_MOST * (filter->count + 2), sizeof(*to.code));
	if (!to.place || !to.code) {
		free(to.place);
		free(to.code);
		return -ENOMEM;
	}
	/* The first pass finds the places, the second one goes there. */
	pass(&to);
	pass(&to);
	free(to.place);
	prefix->code = to.code;
	prefix->count = to.count;
	return to.count > INT16_MAX ? -E2BIG : 0;
}

static bool is_load(const struct sock_filter *code)
{
	switch (code->code) {
	case BPF_LD | BPF_W | BPF_ABS:
	case BPF_LD | BPF_H | BPF_ABS:
	case BPF_LD | BPF_B | BPF_ABS:
	case BPF_LD | BPF_W | BPF_IND:
	case BPF_LD | BPF_H | BPF_IND:
	case BPF_LD | BPF_B | BPF_IND:
	case BPF_LDX | BPF_B | BPF_MSH:
		/* Beyond is what the kernel knows besides. */
		return code->k <= INT32_MAX || is_tag(code);
	case BPF_LD | BPF_W | BPF_LEN:
	case BPF_LD | BPF_IMM:
	case BPF_LDX | BPF_W | BPF_LEN:
	case BPF_LDX | BPF_IMM:
		return true;
	case BPF_LD | BPF_MEM:
	case BPF_LDX | BPF_MEM:
	case BPF_ST:
	case BPF_STX:
		return code->k < BPF_MEMWORDS;
	default:
		return false;
	}
}

static bool is_computation(const struct sock_filter *code)
{
	unsigned int operation = BPF_OP(code->code);

	if (BPF_CLASS(code->code) != BPF_ALU || operation > BPF_XOR || code->code > 0xff)
		return false;
	if (BPF_SRC(code->code) == BPF_X)
		return true;
	if (operation == BPF_DIV || operation == BPF_MOD)
		return code->k != 0;
	return (operation != BPF_LSH && operation != BPF_RSH) || code->k < 32;
}

static bool is_jump(const struct sock_filter *code, size_t left)
{
	if (BPF_CLASS(code->code) != BPF_JMP || code->code > 0xff)
		return false;
	if (BPF_OP(code->code) == BPF_JA)
		return code->k < left;
	return BPF_OP(code->code) <= BPF_JSET && code->jt < left && code->jf < left;
}

static bool is_other(const struct sock_filter *code)
{
	return code->code == (BPF_RET | BPF_K) || code->code == (BPF_RET | BPF_A) ||
	       code->code == (BPF_MISC | BPF_TAX) || code->code == (BPF_MISC | BPF_TXA);
}

/* left: instructions behind it. */
static bool is_sound(const struct sock_filter *code, size_t left)
{
	return is_load(code) || is_computation(code) || is_jump(code, left) || is_other(code);
}

static int refuse_filter(struct fault *fault, const char *why, size_t at)
{
	return fault_set(fault, -EINVAL, "filter",
			 "give what tcpdump -i DEVICE -ddd prints, without its first line",
			 "instruction %zu of the filter %s", at, why);
}

static int read_instruction(struct sock_filter *code, const int32_t *number)
{
	if (number[0] < 0 || number[0] > UINT16_MAX || number[1] < 0 || number[1] > UINT8_MAX ||
	    number[2] < 0 || number[2] > UINT8_MAX)
		return -EINVAL;
	*code = (struct sock_filter){
		.code = (uint16_t)number[0],
		.jt = (uint8_t)number[1],
		.jf = (uint8_t)number[2],
		.k = (uint32_t)number[3],
	};
	return 0;
}

int filter_read(struct filter *filter, const struct integers *numbers, struct fault *fault)
{
	size_t count = numbers->count / NUMBERS;

	*filter = (struct filter){ 0 };
	if (!numbers->count)
		return 0;
	if (numbers->count % NUMBERS || count > FILTER_MOST)
		return refuse_filter(fault, "is not of four numbers, or there are too many", count);
	filter->code = calloc(count, sizeof(*filter->code));
	if (!filter->code)
		return fault_system(fault, -ENOMEM, "filter", "the filter");
	filter->count = count;
	for (size_t i = 0; i < count; i++)
		if (read_instruction(&filter->code[i], numbers->item + NUMBERS * i) ||
		    !is_sound(&filter->code[i], count - i - 1))
			return refuse_filter(fault, "is not one that can be used here", i);
	if (BPF_CLASS(filter->code[count - 1].code) != BPF_RET)
		return refuse_filter(fault, "is the last and does not return", count - 1);
	return 0;
}

void filter_release(struct filter *filter)
{
	free(filter->code);
	*filter = (struct filter){ 0 };
}

void filter_prefix_release(struct filter_prefix *prefix)
{
	free(prefix->code);
	*prefix = (struct filter_prefix){ 0 };
}
