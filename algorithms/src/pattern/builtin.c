/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/patterns.h"

#include <string.h>

/*
 * aut3 stands for 35 expressions without counted repeats: commands of a file server that are
 * followed by an argument, as intrusion rules look for them.
 */
static const struct {
	const char *name;
	const char *text;
} sets[] = {
	{ "aut1", "abcde\n" },
	{ "aut2", "GET /admin\nUSER\nPASS.*root\n" },
	{ "aut3",
	  "^USER\\s[^\\n]*%\n^PASS\\s[^\\n]*%\n^ACCT\\s\n^CWD\\s+~\n^CWD\\s[^\\n]*\\.\\.\n"
	  "^CDUP\\s\n^SMNT\\s\n^REIN\\s\n^QUIT\\s\n^PORT\\s+\\d\n^PASV\\s\n^TYPE\\s+[AEIL]\n"
	  "^STRU\\s+[FRP]\n^MODE\\s+[SBC]\n^RETR\\s[^\\n]*%\n^STOR\\s[^\\n]*%\n^STOU\\s\n"
	  "^APPE\\s\n^ALLO\\s+\\d\n^REST\\s+\\d\n^RNFR\\s+\\.\n^RNTO\\s+\\.\n^ABOR\\s\n"
	  "^DELE\\s\n^RMD\\s\n^MKD\\s\n^PWD\\s\n^LIST\\s[^\\n]*%\n^NLST\\s\n"
	  "^SITE\\s+EXEC\n^SITE\\s+CHOWN\n^SITE\\s+NEWER\n^SYST\\s\n^STAT\\s\n^HELP\\s\n" },
	{ "T1", "abcde\n" },
	{ "T2", "ab\n(?s)cd.*ef\n" },
	{ "T3", "(?s)ab.*cd\n(?s)ef.*gh\n(?s)ij.*kl\n(?s)mn.*op\n" },
	{ "T4", "ab[^\\n]*cd\nef[^\\n]*gh\nij[^\\n]*kl\nmn[^\\n]*op\n" },
	{ "T5", "he\nshe\nhis\nhers\n" },
};

const char *gm_patterns_builtin(const char *name)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (strcmp(sets[i].name, name) == 0)
			return sets[i].text;
	}
	return NULL;
}
