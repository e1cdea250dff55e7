// SPDX-License-Identifier: Apache-2.0
/* Reading a relocatable ELF file. */
#include "kernel/elf.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HOST_DATA ELFDATA2LSB
#else
#define HOST_DATA ELFDATA2MSB
#endif

static bool inside(const struct elf *elf, uint64_t offset, uint64_t length)
{
	return offset <= elf->length && length <= elf->length - offset;
}

/* Contents that the file has; a NOBITS section has none, whatever its size. */
static bool sound(const struct elf *elf, const Elf64_Shdr *section)
{
	return inside(elf, section->sh_offset,
		      section->sh_type == SHT_NOBITS ? 0 : section->sh_size);
}

/* A string table ends with a NUL, so that any offset inside it begins a string. */
static bool open_strings(const struct elf *elf, const Elf64_Shdr *section, const char **strings,
			 size_t *length)
{
	*strings = elf_contents(elf, section);
	*length = (size_t)section->sh_size;
	return section->sh_type == SHT_STRTAB && *length && !(*strings)[*length - 1];
}

static bool open_symbols(struct elf *elf)
{
	for (size_t i = 0; i < elf->sections; i++) {
		const Elf64_Shdr *section = &elf->section[i];

		if (section->sh_type != SHT_SYMTAB)
			continue;
		elf->symbol = elf_contents(elf, section);
		elf->symbols = (size_t)(section->sh_size / sizeof(*elf->symbol));
		return section->sh_offset % 8 == 0 && section->sh_link < elf->sections &&
		       open_strings(elf, &elf->section[section->sh_link], &elf->strings,
				    &elf->strings_length);
	}
	return true;
}

static bool header_fits(const struct elf *elf, const Elf64_Ehdr *header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == HOST_DATA &&
	       header->e_type == ET_REL && header->e_shentsize == sizeof(Elf64_Shdr) &&
	       header->e_shoff % 8 == 0 && header->e_shstrndx < header->e_shnum &&
	       inside(elf, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
}

int elf_open(struct elf *elf, const uint8_t *bytes, size_t length)
{
	const Elf64_Ehdr *header = (const void *)bytes;

	*elf = (struct elf){ .bytes = bytes, .length = length };
	if (length < sizeof(*header) || !header_fits(elf, header))
		return -ENOEXEC;
	elf->section = (const void *)(bytes + header->e_shoff);
	elf->sections = header->e_shnum;
	for (size_t i = 0; i < elf->sections; i++)
		if (!sound(elf, &elf->section[i]))
			return -ENOEXEC;
	if (!open_strings(elf, &elf->section[header->e_shstrndx], &elf->names, &elf->names_length))
		return -ENOEXEC;
	return open_symbols(elf) ? 0 : -ENOEXEC;
}

const void *elf_contents(const struct elf *elf, const Elf64_Shdr *section)
{
	return elf->bytes + section->sh_offset;
}

const Elf64_Shdr *elf_section(const struct elf *elf, const char *name)
{
	for (size_t i = 0; i < elf->sections; i++) {
		const Elf64_Shdr *section = &elf->section[i];

		if (section->sh_type != SHT_NOBITS && section->sh_name < elf->names_length &&
		    strcmp(elf->names + section->sh_name, name) == 0)
			return section;
	}
	return NULL;
}

const Elf64_Rel *elf_relocations(const struct elf *elf, const Elf64_Shdr *section, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < elf->sections; i++) {
		const Elf64_Shdr *candidate = &elf->section[i];

		if (candidate->sh_type != SHT_REL || candidate->sh_offset % 8 ||
		    candidate->sh_info != (size_t)(section - elf->section))
			continue;
		*count = (size_t)(candidate->sh_size / sizeof(Elf64_Rel));
		return elf_contents(elf, candidate);
	}
	return NULL;
}

const Elf64_Sym *elf_symbol(const struct elf *elf, const Elf64_Rel *relocation)
{
	uint64_t index = ELF64_R_SYM(relocation->r_info);

	return index < elf->symbols ? &elf->symbol[index] : NULL;
}

const char *elf_symbol_name(const struct elf *elf, const Elf64_Sym *symbol)
{
	return symbol->st_name < elf->strings_length ? elf->strings + symbol->st_name : "";
}
