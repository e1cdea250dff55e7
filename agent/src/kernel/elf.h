// SPDX-License-Identifier: Apache-2.0
/*
 * Reads a BPF object: a relocatable ELF file of 64 bits and of this machine's byte order, in
 * memory. Every offset in it is checked; nothing is copied.
 */
#ifndef GM_ELF_H
#define GM_ELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
	const uint8_t *bytes;
	size_t length;
	const Elf64_Shdr *section;
	size_t sections;
	const char *names; /* of sections */
	size_t names_length;
	const Elf64_Sym *symbol;
	size_t symbols;
	const char *strings; /* of symbols */
	size_t strings_length;
};

/* Bytes have to be aligned to 8 and to outlive elf. 0 or -ENOEXEC. */
int elf_open(struct elf *elf, const uint8_t *bytes, size_t length);

/* A section with contents by its name, or NULL. */
const Elf64_Shdr *elf_section(const struct elf *elf, const char *name);

/* The contents of a section. */
const void *elf_contents(const struct elf *elf, const Elf64_Shdr *section);

/* The relocations of a section, or NULL; *count of them. */
const Elf64_Rel *elf_relocations(const struct elf *elf, const Elf64_Shdr *section, size_t *count);

/* The symbol of a relocation, or NULL. */
const Elf64_Sym *elf_symbol(const struct elf *elf, const Elf64_Rel *relocation);

/* A symbol's name; "" if it has none. */
const char *elf_symbol_name(const struct elf *elf, const Elf64_Sym *symbol);

#endif
