// SPDX-License-Identifier: Apache-2.0
/* Linking a BPF object. */
#include "kernel/bpf_link.h"
#include "kernel/elf.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define R_BPF_64_64 1 /* a 64-bit load; Documentation/bpf/llvm_reloc.rst */

/* .BTF.ext, version 1 (Documentation/bpf/btf.rst section 4.2); all offsets count from behind it. */
struct btf_ext_header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t header_bytes;
	uint32_t function_offset, function_bytes;
	uint32_t line_offset, line_bytes;
};

/* Records about one section's functions follow it. */
struct btf_ext_section {
	uint32_t name;
	uint32_t count;
};

struct linker {
	struct elf elf;
	const struct bpf_program *program;
	const Elf64_Shdr *section;
	struct bpf_linked *linked;
};

/* A constant's value goes into the load. */
static int relocate_constant(const struct linker *linker, struct bpf_insn *insn, const char *name)
{
	const struct bpf_program *program = linker->program;

	for (size_t i = 0; i < program->constant_count; i++) {
		if (strcmp(program->constants[i].name, name) != 0)
			continue;
		insn[0].imm = (int32_t)(uint32_t)program->constants[i].value;
		insn[1].imm = (int32_t)(uint32_t)(program->constants[i].value >> 32);
		return 0;
	}
	return -ENOENT;
}

/* An undefined symbol is a map, whose descriptor goes into the load, or a constant. */
static int relocate_name(const struct linker *linker, struct bpf_insn *insn, const char *name)
{
	const struct bpf_program *program = linker->program;

	for (size_t i = 0; i < program->map_count; i++) {
		if (strcmp(program->maps[i].name, name) != 0)
			continue;
		insn->src_reg = BPF_PSEUDO_MAP_FD;
		insn->imm = program->maps[i].fd;
		return 0;
	}
	return relocate_constant(linker, insn, name);
}

/*
 * A function of the same section, as a callback: the load holds its distance in instructions. Its
 * place is the symbol's value plus the load's own, in bytes (the symbol may be the section's).
 */
static int relocate_function(const struct linker *linker, size_t at, const Elf64_Sym *symbol)
{
	struct bpf_insn *insn = &linker->linked->code[at];
	uint64_t target = (symbol->st_value + (uint32_t)insn->imm) / sizeof(*insn);

	if (symbol->st_shndx != linker->section - linker->elf.section ||
	    target >= linker->linked->code_count)
		return -ENOEXEC;
	insn->src_reg = BPF_PSEUDO_FUNC;
	insn->imm = (int32_t)target - (int32_t)at - 1;
	insn[1].imm = 0;
	return 0;
}

static int relocate_one(const struct linker *linker, const Elf64_Rel *relocation)
{
	const Elf64_Sym *symbol = elf_symbol(&linker->elf, relocation);
	uint64_t at = relocation->r_offset / sizeof(struct bpf_insn);
	struct bpf_insn *insn;

	if (!symbol || ELF64_R_TYPE(relocation->r_info) != R_BPF_64_64 ||
	    at >= linker->linked->code_count || at + 1 == linker->linked->code_count)
		return -ENOEXEC;
	insn = &linker->linked->code[at];
	if (insn->code != (BPF_LD | BPF_IMM | BPF_DW))
		return -ENOEXEC;
	if (symbol->st_shndx == SHN_UNDEF)
		return relocate_name(linker, insn, elf_symbol_name(&linker->elf, symbol));
	return relocate_function(linker, (size_t)at, symbol);
}

static int link_code(struct linker *linker)
{
	struct bpf_linked *linked = linker->linked;
	size_t bytes = (size_t)linker->section->sh_size;
	const Elf64_Rel *relocation;
	size_t count;

	linked->code_count = bytes / sizeof(*linked->code);
	linked->code = malloc(bytes);
	if (!linked->code)
		return -ENOMEM;
	memcpy(linked->code, elf_contents(&linker->elf, linker->section), bytes);
	relocation = elf_relocations(&linker->elf, linker->section, &count);
	for (size_t i = 0; i < count; i++) {
		int error = relocate_one(linker, &relocation[i]);

		if (error)
			return error;
	}
	return 0;
}

/* The name of a .BTF.ext section: an offset into .BTF's strings. */
static bool names_section(const struct linker *linker, uint32_t name)
{
	const struct btf_header *header = linker->linked->btf;
	uint64_t at = (uint64_t)header->hdr_len + header->str_off + name;
	size_t length = strlen(linker->program->section) + 1;

	return at + length <= linker->linked->btf_bytes &&
	       memcmp((const char *)header + at, linker->program->section, length) == 0;
}

/* Records are insn_off and type_id, and maybe more to come: the offset is in bytes. */
static int take_functions(struct linker *linker, const uint8_t *record, uint32_t count,
			  uint32_t record_bytes)
{
	struct bpf_linked *linked = linker->linked;

	linked->function = calloc(count ? count : 1, sizeof(*linked->function));
	if (!linked->function)
		return -ENOMEM;
	linked->function_count = count;
	for (uint32_t i = 0; i < count; i++, record += record_bytes) {
		memcpy(&linked->function[i], record, sizeof(*linked->function));
		linked->function[i].insn_off /= sizeof(struct bpf_insn);
	}
	return 0;
}

static int link_functions(struct linker *linker, const uint8_t *at, size_t left)
{
	uint32_t record_bytes;

	if (left < sizeof(record_bytes))
		return -ENOEXEC;
	memcpy(&record_bytes, at, sizeof(record_bytes));
	at += sizeof(record_bytes);
	left -= sizeof(record_bytes);
	if (record_bytes < sizeof(struct bpf_func_info))
		return -ENOEXEC;
	while (left >= sizeof(struct btf_ext_section)) {
		struct btf_ext_section section;
		uint64_t bytes;

		memcpy(&section, at, sizeof(section));
		at += sizeof(section);
		left -= sizeof(section);
		bytes = (uint64_t)section.count * record_bytes;
		if (bytes > left)
			return -ENOEXEC;
		if (names_section(linker, section.name))
			return take_functions(linker, at, section.count, record_bytes);
		at += bytes;
		left -= (size_t)bytes;
	}
	return -ENOEXEC;
}

static int link_btf(struct linker *linker)
{
	const Elf64_Shdr *btf = elf_section(&linker->elf, ".BTF");
	const Elf64_Shdr *ext = elf_section(&linker->elf, ".BTF.ext");
	const struct btf_ext_header *header;

	if (!btf || !ext || btf->sh_size < sizeof(struct btf_header) ||
	    ext->sh_size < sizeof(*header) || btf->sh_offset % 4 || ext->sh_offset % 4)
		return -ENOEXEC;
	linker->linked->btf = elf_contents(&linker->elf, btf);
	linker->linked->btf_bytes = (size_t)btf->sh_size;
	header = elf_contents(&linker->elf, ext);
	if (header->magic != BTF_MAGIC || header->version != 1 ||
	    (uint64_t)header->header_bytes + header->function_offset + header->function_bytes >
		    ext->sh_size)
		return -ENOEXEC;
	return link_functions(
		linker, (const uint8_t *)header + header->header_bytes + header->function_offset,
		header->function_bytes);
}

/* Distances within the code stay as they are; the entry now begins with the prefix. */
static int prepend(struct bpf_linked *linked, const struct bpf_program *program)
{
	size_t count = program->prefix_count + linked->code_count;
	struct bpf_insn *code = malloc(count * sizeof(*code));

	if (!code)
		return -ENOMEM;
	memcpy(code, program->prefix, program->prefix_count * sizeof(*code));
	memcpy(code + program->prefix_count, linked->code, linked->code_count * sizeof(*code));
	free(linked->code);
	linked->code = code;
	linked->code_count = count;
	for (size_t i = 0; i < linked->function_count; i++)
		if (linked->function[i].insn_off)
			linked->function[i].insn_off += (uint32_t)program->prefix_count;
	return 0;
}

int bpf_link(struct bpf_linked *linked, const struct bpf_program *program)
{
	struct linker linker = { .program = program, .linked = linked };
	int error;

	*linked = (struct bpf_linked){ 0 };
	if (elf_open(&linker.elf, program->object, program->object_bytes))
		return -ENOEXEC;
	linker.section = elf_section(&linker.elf, program->section);
	if (!linker.section || linker.section->sh_type != SHT_PROGBITS || !linker.section->sh_size)
		return -ENOEXEC;
	error = link_code(&linker);
	if (!error)
		error = link_btf(&linker);
	if (!error && program->prefix_count)
		error = prepend(linked, program);
	if (error)
		bpf_link_release(linked);
	return error;
}

void bpf_link_release(struct bpf_linked *linked)
{
	free(linked->code);
	free(linked->function);
	*linked = (struct bpf_linked){ 0 };
}
