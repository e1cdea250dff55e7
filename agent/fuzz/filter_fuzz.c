// SPDX-License-Identifier: Apache-2.0
/*
 * Any filter and any packet: what filter_read() takes is translated to a program that wants the
 * packets that the classic machine wants. Both machines are played here, in the slow and plain way.
 */
#include "capture/filter.h"
#include "fuzz/fuzz.h"

#include <stdbool.h>

#define INSTRUCTIONS_MOST 40
#define NUMBERS 4

struct packet_bytes {
	const uint8_t *bytes;
	uint32_t length;
	uint32_t tag, tag_present; /* what the kernel keeps beside it */
};

static bool load(const struct packet_bytes *packet, uint64_t at, uint32_t size, uint32_t *value)
{
	*value = 0;
	if (at + size > packet->length)
		return false;
	for (uint32_t i = 0; i < size; i++)
		*value = *value << 8 | packet->bytes[at + i];
	return true;
}

static uint32_t size_of(uint16_t code)
{
	return BPF_SIZE(code) == BPF_W ? 4 : BPF_SIZE(code) == BPF_H ? 2 : 1;
}

/* As both machines compute with 32 bits. */
static uint32_t compute(unsigned int operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case BPF_ADD:
		return (uint32_t)((uint64_t)a + b);
	case BPF_SUB:
		return (uint32_t)((uint64_t)a - b + (1ull << 32));
	case BPF_MUL:
		return (uint32_t)((uint64_t)a * b);
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_MOD:
		return b ? a % b : a;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return (uint32_t)((uint64_t)a << (b & 31));
	case BPF_RSH:
		return a >> (b & 31);
	default: /* BPF_NEG */
		return (uint32_t)((1ull << 32) - a);
	}
}

static bool jumps(unsigned int operation, uint64_t a, uint64_t b)
{
	switch (operation) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JNE:
		return a != b;
	case BPF_JLE:
		return a <= b;
	default: /* BPF_JSET */
		return (a & b) != 0;
	}
}

struct classic {
	uint32_t a, x, memory[BPF_MEMWORDS];
	bool over; /* a load beyond the packet, a division by zero */
};

static void classic_load(struct classic *machine, const struct sock_filter *code,
			 const struct packet_bytes *packet)
{
	bool to_x = BPF_CLASS(code->code) == BPF_LDX;
	uint32_t value = code->k;

	switch (BPF_MODE(code->code)) {
	case BPF_IMM:
		break;
	case BPF_LEN:
		value = packet->length;
		break;
	case BPF_MEM:
		value = machine->memory[code->k];
		break;
	case BPF_MSH:
		machine->over = !load(packet, code->k, 1, &value);
		value = (value & 15) * 4;
		break;
	case BPF_ABS:
		if (code->k == (uint32_t)(SKF_AD_OFF + SKF_AD_VLAN_TAG))
			value = packet->tag;
		else if (code->k == (uint32_t)(SKF_AD_OFF + SKF_AD_VLAN_TAG_PRESENT))
			value = packet->tag_present;
		else
			machine->over = !load(packet, code->k, size_of(code->code), &value);
		break;
	default:
		machine->over =
			!load(packet, (uint64_t)code->k + machine->x, size_of(code->code), &value);
	}
	*(to_x ? &machine->x : &machine->a) = value;
}

static void classic_other(struct classic *machine, const struct sock_filter *code)
{
	uint32_t operand = BPF_SRC(code->code) == BPF_X ? machine->x : code->k;
	unsigned int operation = BPF_OP(code->code);

	switch (BPF_CLASS(code->code)) {
	case BPF_ST:
		machine->memory[code->k] = machine->a;
		break;
	case BPF_STX:
		machine->memory[code->k] = machine->x;
		break;
	case BPF_ALU:
		machine->over = !operand && (operation == BPF_DIV || operation == BPF_MOD);
		machine->a = compute(operation, machine->a, operand);
		break;
	default: /* BPF_MISC */
		if (BPF_MISCOP(code->code) == BPF_TAX)
			machine->x = machine->a;
		else
			machine->a = machine->x;
	}
}

/* How many instructions a jump leaves out. */
static size_t classic_jump(const struct classic *machine, const struct sock_filter *code)
{
	uint32_t operand = BPF_SRC(code->code) == BPF_X ? machine->x : code->k;

	if (BPF_OP(code->code) == BPF_JA)
		return code->k;
	return jumps(BPF_OP(code->code), machine->a, operand) ? code->jt : code->jf;
}

/* Whether the classic machine wants a packet. */
static bool classic_wants(const struct filter *filter, const struct packet_bytes *packet)
{
	struct classic machine = { 0 };

	for (size_t at = 0; at < filter->count && !machine.over; at++) {
		const struct sock_filter *code = &filter->code[at];

		switch (BPF_CLASS(code->code)) {
		case BPF_RET:
			return (BPF_RVAL(code->code) == BPF_K ? code->k : machine.a) != 0;
		case BPF_LD:
		case BPF_LDX:
			classic_load(&machine, code, packet);
			break;
		case BPF_JMP:
			at += classic_jump(&machine, code);
			break;
		default:
			classic_other(&machine, code);
		}
	}
	return false;
}

/* The kernel's machine; R6 stands for the packet, R10 for the end of the stack. */
struct present {
	uint64_t r[11];
	uint32_t stack[2 * BPF_MEMWORDS];
};

static uint32_t *cell(struct present *machine, int16_t offset)
{
	REQUIRE(offset >= -4 * BPF_MEMWORDS && offset < 0 && offset % 4 == 0);
	return &machine->stack[(offset + 4 * BPF_MEMWORDS) / 4];
}

/* Never beyond the packet: that would end the program in a way that tc takes for an answer. */
static void present_packet(struct present *machine, const struct bpf_insn *code,
			   const struct packet_bytes *packet)
{
	uint64_t more = BPF_MODE(code->code) == BPF_IND ? machine->r[code->src_reg] : 0;
	uint32_t value = 0;
	bool is_there = load(packet, (uint32_t)code->imm + more, size_of(code->code), &value);

	REQUIRE(is_there);
	machine->r[0] = value;
	machine->r[1] = machine->r[2] = machine->r[3] = UINT64_MAX; /* spent */
}

/* A field of struct __sk_buff. */
static uint32_t field(const struct packet_bytes *packet, int16_t offset)
{
	switch (offset) {
	case offsetof(struct __sk_buff, vlan_tci):
		return packet->tag;
	case offsetof(struct __sk_buff, vlan_present):
		return packet->tag_present;
	default:
		REQUIRE(offset == offsetof(struct __sk_buff, len));
		return packet->length;
	}
}

static void present_load(struct present *machine, const struct bpf_insn *code,
			 const struct packet_bytes *packet)
{
	bool of_stack = code->src_reg == BPF_REG_10;
	bool of_packet = code->src_reg == BPF_REG_6;

	REQUIRE(of_stack || of_packet);
	machine->r[code->dst_reg] = of_stack ? *cell(machine, code->off) : field(packet, code->off);
}

static void present_compute(struct present *machine, const struct bpf_insn *code)
{
	uint64_t *target = &machine->r[code->dst_reg];
	uint64_t operand = BPF_SRC(code->code) == BPF_X ? machine->r[code->src_reg]
							: (uint64_t)(int64_t)code->imm;

	if (BPF_OP(code->code) == BPF_MOV)
		*target = BPF_CLASS(code->code) == BPF_ALU ? (uint32_t)operand : operand;
	else if (BPF_CLASS(code->code) == BPF_ALU64)
		*target += operand; /* the only one that is made */
	else
		*target = compute(BPF_OP(code->code), (uint32_t)*target, (uint32_t)operand);
}

static void present_store(struct present *machine, const struct bpf_insn *code)
{
	*cell(machine, code->off) = (uint32_t)machine->r[code->src_reg];
	if (BPF_CLASS(code->code) != BPF_ST)
		return;
	*cell(machine, code->off) = 0;
	*cell(machine, (int16_t)(code->off + 4)) = 0;
}

/* How many instructions a jump leaves out; all go forward. */
static size_t present_jump(const struct present *machine, const struct bpf_insn *code)
{
	uint64_t operand = BPF_SRC(code->code) == BPF_X ? machine->r[code->src_reg]
							: (uint64_t)(int64_t)code->imm;
	bool is_forward = code->off >= 0;

	REQUIRE(is_forward);
	if (BPF_OP(code->code) != BPF_JA &&
	    !jumps(BPF_OP(code->code), machine->r[code->dst_reg], operand))
		return 0;
	return (size_t)code->off;
}

static void present_step(struct present *machine, const struct bpf_insn *code,
			 const struct packet_bytes *packet)
{
	switch (BPF_CLASS(code->code)) {
	case BPF_LD:
		present_packet(machine, code, packet);
		break;
	case BPF_LDX:
		present_load(machine, code, packet);
		break;
	case BPF_ST:
	case BPF_STX:
		present_store(machine, code);
		break;
	default:
		present_compute(machine, code);
	}
}

/* Whether what stands behind the filter is reached. */
static bool present_wants(const struct filter_prefix *prefix, const struct packet_bytes *packet)
{
	struct present machine = { 0 };
	size_t at = 0;

	while (at < prefix->count) {
		const struct bpf_insn *code = &prefix->code[at++];

		if (BPF_CLASS(code->code) != BPF_JMP)
			present_step(&machine, code, packet);
		else if (BPF_OP(code->code) == BPF_EXIT)
			return false;
		else
			at += present_jump(&machine, code);
	}
	return at == prefix->count;
}

static void compare(const struct filter *filter, const struct packet_bytes *packet)
{
	struct filter_prefix prefix;

	REQUIRE(filter_translate(filter, &prefix) == 0);
	REQUIRE(classic_wants(filter, packet) == present_wants(&prefix, packet));
	filter_prefix_release(&prefix);
}

/*
 * First how many instructions, and the packet's tag; then of each code, jt, jf (a byte each) and k
 * (four); the packet.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int32_t number[NUMBERS * INSTRUCTIONS_MOST];
	size_t count = size ? data[0] % INSTRUCTIONS_MOST + 1u : 0, at = 1;
	uint32_t tag = size ? data[0] / INSTRUCTIONS_MOST : 0;
	struct integers numbers = { NUMBERS * count, number };
	struct fault fault = { 0 };
	struct filter filter;

	if (!size || size < 1 + 7 * count)
		return 0;
	for (size_t i = 0; i < count; i++, at += 7) {
		for (size_t j = 0; j < 3; j++)
			number[NUMBERS * i + j] = data[at + j];
		memcpy(&number[NUMBERS * i + 3], data + at + 3, 4);
	}
	if (filter_read(&filter, &numbers, &fault) == 0)
		compare(&filter,
			&(struct packet_bytes){ data + at, (uint32_t)(size - at), tag, tag & 1 });
	filter_release(&filter);
	return 0;
}
