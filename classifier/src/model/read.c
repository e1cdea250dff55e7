// SPDX-License-Identifier: Apache-2.0
/*
 * Reading a model, line by line, into words that point into its text. No word is trusted. What a
 * line names may stand further down, so it is looked up at the end.
 */
#include "model/read.h"
#include "model/attribute.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MOST (MODEL_CLASSES_MOST + 2)
#define NODE_WORDS 7
#define DIGITS_MOST 10
#define ABSENT 0xffff

struct word {
	const char *at;
	size_t length;
};

/* A branch as it is written; a node's place is known at the end. */
struct branch {
	uint16_t number; /* of the node or class */
	uint8_t is_class, confidence;
};

struct written {
	struct branch branch[2];
	uint32_t line;
	uint16_t attribute, missing;
};

struct reader {
	struct named_model *named;
	const char *name;
	struct fault *fault;
	uint32_t line;
	uint32_t classes_line, attributes_line;
	uint16_t place[MODEL_NODES_MOST]; /* of a node by its number, or ABSENT */
	uint16_t number[MODEL_NODES_MOST]; /* by place */
	struct written written[MODEL_NODES_MOST];
	struct word word[WORDS_MOST];
	size_t words;
	uint32_t sure; /* percent, of a decision by headers */
	uint32_t settings; /* bits of those that are set, by their place in settings[] */
};

void model_preset(struct model *model)
{
	model->window = 20;
	model->new_flows_rate = 50;
	model->new_flows_burst = 512;
	model_set_guard(model, 125000);
	model->probation_rate = 32000;
	model->probation_burst = 8000;
	model->probation_bytes = 300;
	model->sparse_us = 2000;
	model->gap_us = 10000;
	model->idle_us = 60000000;
}

void model_set_guard(struct model *model, uint32_t rate)
{
	model->guard_rate = rate;
	model->guard_burst = rate / 2;
	model->host_rate = rate < UINT32_MAX / 2 ? 2 * rate : UINT32_MAX;
	model->host_burst = model->host_rate / 2;
}

bool model_set_window(struct named_model *named, unsigned long window)
{
	if (window < 2 || window > (named->slides ? SLIDING_MOST : WINDOW_MOST))
		return false;
	named->model.window = (uint32_t)window;
	return true;
}

/* Fills the fault; is -EINVAL. */
__attribute__((format(printf, 4, 5))) static int refuse(const struct reader *reader, uint32_t line,
							const char *fix, const char *format, ...)
{
	char reason[128];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	fault_fill(reader->fault, "model", fix, "%.100s:%u: %s", reader->name, line, reason);
	return -EINVAL;
}

static int shown(struct word word)
{
	return (int)(word.length < 40 ? word.length : 40);
}

#define REFUSE(reader, ...) refuse(reader, (reader)->line, __VA_ARGS__)
#define SHOWN(word) shown(word), (word).at

static bool is_word(struct word word, const char *text)
{
	return strlen(text) == word.length && memcmp(word.at, text, word.length) == 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A number of at most so many digits, which are the whole word. */
static bool read_number(struct word word, uint64_t most, uint64_t *number)
{
	*number = 0;
	if (!word.length || word.length > DIGITS_MOST)
		return false;
	for (size_t i = 0; i < word.length; i++) {
		if (word.at[i] < '0' || word.at[i] > '9')
			return false;
		*number = *number * 10 + (uint64_t)(word.at[i] - '0');
	}
	return *number <= most;
}

/* A letter, a line and a number. */
static bool read_named(struct word word, char letter, uint64_t most, uint16_t *number)
{
	uint64_t value;

	if (word.length < 3 || word.at[0] != letter || word.at[1] != '_' ||
	    !read_number((struct word){ word.at + 2, word.length - 2 }, most, &value))
		return false;
	*number = (uint16_t)value;
	return true;
}

static int read_classes(struct reader *reader)
{
	struct named_model *named = reader->named;

	if (reader->classes_line)
		return REFUSE(reader, "name all in one line", "a second line of classes");
	reader->classes_line = reader->line;
	if (reader->words < 2 || reader->words > MODEL_CLASSES_MOST + 1)
		return REFUSE(reader, "name 1 to 255", "%zu classes", reader->words - 1);
	for (size_t i = 1; i < reader->words; i++) {
		struct word word = reader->word[i];

		if (word.length >= MODEL_NAME_MOST)
			return REFUSE(reader, "shorten it",
				      "a class's name is longer than 31 bytes");
		if (model_class(named, word.at, word.length) >= 0)
			return REFUSE(reader, "give each class its own name", "class %.*s twice",
				      SHOWN(word));
		memcpy(named->class_name[named->model.classes++], word.at, word.length);
	}
	return 0;
}

/* What of a window is to be kept for an attribute. */
static uint32_t attribute_keeps(const struct attribute *attribute)
{
	switch (attribute->feature) {
	case FEATURE_SKYPE:
		return KEEPS_LENGTHS | KEEPS_SWINGS;
	case FEATURE_HEADER:
		return KEEPS_HEADERS;
	case FEATURE_PLEN:
	case FEATURE_PLENBD:
		return KEEPS_LENGTHS;
	default:
		return 0;
	}
}

static int read_attributes(struct reader *reader)
{
	struct model *model = &reader->named->model;

	if (reader->attributes_line)
		return REFUSE(reader, "name all in one line", "a second line of attributes");
	reader->attributes_line = reader->line;
	if (reader->words < 2 || reader->words > MODEL_ATTRIBUTES_MOST + 1)
		return REFUSE(reader, "name 1 to 32", "%zu attributes", reader->words - 1);
	for (size_t i = 1; i < reader->words; i++) {
		struct attribute *attribute = &model->attribute[model->attributes++];
		struct word word = reader->word[i];

		if (attribute_parse(attribute, word.at, word.length))
			return REFUSE(reader, "such as mean.plen, fwd.max.plen, fpckts.pcnt",
				      "no attribute %.*s", SHOWN(word));
		model->keeps |= attribute_keeps(attribute);
	}
	return 0;
}

/* A decimal number; rounded down, and whether that changed it. */
static bool read_split(struct word word, int32_t *split, bool *is_whole)
{
	bool is_negative = word.length && word.at[0] == '-';
	struct word digits = { word.at + is_negative, word.length - is_negative };
	const char *dot = memchr(digits.at, '.', digits.length);
	size_t before = dot ? (size_t)(dot - digits.at) : digits.length;
	uint64_t whole;

	*is_whole = true;
	for (size_t i = before + 1; i < digits.length; i++) {
		if (digits.at[i] < '0' || digits.at[i] > '9')
			return false;
		*is_whole &= digits.at[i] == '0';
	}
	if ((dot && before + 1 == digits.length) ||
	    !read_number((struct word){ digits.at, before }, INT32_MAX, &whole))
		return false;
	*split = is_negative ? -(int32_t)whole - !*is_whole : (int32_t)whole;
	return true;
}

static bool read_branch(struct word word, struct branch *branch)
{
	const char *colon = memchr(word.at, ':', word.length);
	struct word target = { word.at, colon ? (size_t)(colon - word.at) : word.length };
	uint64_t confidence = 100;

	*branch = (struct branch){ 0 };
	if (!colon && read_named(word, 'n', MODEL_NODES_MOST - 1, &branch->number))
		return true;
	if (!read_named(target, 'c', MODEL_CLASSES_MOST - 1, &branch->number))
		return false;
	if (colon && !read_number((struct word){ colon + 1, word.length - target.length - 1 }, 100,
				  &confidence))
		return false;
	branch->is_class = 1;
	branch->confidence = (uint8_t)confidence;
	return true;
}

static int read_split_of(struct reader *reader, struct node *node)
{
	struct word kind = reader->word[2], split = reader->word[4];
	bool is_whole;

	if (!is_word(kind, "r") && !is_word(kind, "n"))
		return REFUSE(reader, "write r (at most) or n (equal)", "a node of kind %.*s",
			      SHOWN(kind));
	node->flags = is_word(kind, "n") ? NODE_EQUAL : 0;
	if (!read_split(split, &node->split, &is_whole))
		return REFUSE(reader, "write a number of 32 bits", "no split: %.*s", SHOWN(split));
	if (node->flags && !is_whole)
		return REFUSE(reader, "write a whole number", "no value equals %.*s", SHOWN(split));
	return 0;
}

static int read_branches(struct reader *reader, struct written *written)
{
	for (size_t i = 0; i < 2; i++)
		if (!read_branch(reader->word[5 + i], &written->branch[i]))
			return REFUSE(reader, "write n_ and a node, or c_ and a class",
				      "no branch: %.*s", SHOWN(reader->word[5 + i]));
	return 0;
}

static int read_node(struct reader *reader)
{
	struct model *model = &reader->named->model;
	struct written *written = &reader->written[model->nodes];
	struct node *node = &model->node[model->nodes];
	uint16_t number;
	int error;

	if (!read_named(reader->word[0], 'n', MODEL_NODES_MOST - 1, &number))
		return REFUSE(reader, "a line is classes, attributes or a node n_0 to n_4094",
			      "%.*s: this is no model", SHOWN(reader->word[0]));
	if (reader->words != NODE_WORDS)
		return REFUSE(reader, "n_0 a_0 r c_0 84 n_1 c_1", "a node of %zu words, not 7",
			      reader->words);
	if (reader->place[number] != ABSENT)
		return REFUSE(reader, "give each node its own number", "node n_%u twice", number);
	if (!read_named(reader->word[1], 'a', UINT16_MAX, &written->attribute))
		return REFUSE(reader, "write a_ and a number", "no attribute: %.*s",
			      SHOWN(reader->word[1]));
	if (!read_named(reader->word[3], 'c', UINT16_MAX, &written->missing))
		return REFUSE(reader, "write c_ and a number", "no class: %.*s",
			      SHOWN(reader->word[3]));
	error = read_split_of(reader, node);
	if (!error)
		error = read_branches(reader, written);
	written->line = reader->line;
	reader->place[number] = (uint16_t)model->nodes;
	reader->number[model->nodes++] = number;
	return error;
}

static int read_window(struct reader *reader, struct word value)
{
	uint64_t window;

	if (!read_number(value, WINDOW_MOST, &window) || window < 2)
		return REFUSE(reader, "write 2 to 32", "a window of %.*s packets", SHOWN(value));
	reader->named->model.window = (uint32_t)window;
	return 0;
}

static int read_step(struct reader *reader, struct word value)
{
	reader->named->slides = is_word(value, "sliding");
	if (!reader->named->slides && !is_word(value, "jumping"))
		return REFUSE(reader, "write jumping or sliding", "a step of %.*s", SHOWN(value));
	return 0;
}

static int read_confirm(struct reader *reader, struct word value)
{
	uint64_t times;

	if (!read_number(value, CONFIRM_MOST, &times))
		return REFUSE(reader, "write 0 to 254", "confirm %.*s", SHOWN(value));
	reader->named->model.confirm = (uint32_t)times;
	return 0;
}

static int read_protocol(struct reader *reader, struct word value)
{
	static const struct {
		const char *name;
		uint32_t protocol;
	} known[] = { { "all", 0 }, { "tcp", IPPROTO_TCP }, { "udp", IPPROTO_UDP } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (is_word(value, known[i].name)) {
			reader->named->model.protocol = known[i].protocol;
			return 0;
		}
	}
	return REFUSE(reader, "write udp, tcp or all", "protocol %.*s", SHOWN(value));
}

/* What is kept of headers is asked for. */
static int read_switch(struct reader *reader, struct word value, uint32_t *asked)
{
	uint64_t is_on;

	if (!read_number(value, 1, &is_on))
		return REFUSE(reader, "write 0 or 1", "%.*s: neither on nor off", SHOWN(value));
	*asked = (uint32_t)is_on;
	reader->named->model.keeps |= is_on ? KEEPS_HEADERS : 0;
	return 0;
}

static int read_headers(struct reader *reader, struct word value)
{
	return read_switch(reader, value, &reader->named->model.headers);
}

static int read_interactive(struct reader *reader, struct word value)
{
	return read_switch(reader, value, &reader->named->model.interactive);
}

/* How sure a decision by headers is, and how sure any has to be. */
static int read_percent(struct reader *reader, struct word value, uint32_t *percent)
{
	uint64_t number;

	if (!read_number(value, 100, &number))
		return REFUSE(reader, "write 0 to 100, of a hundred", "percent: %.*s",
			      SHOWN(value));
	*percent = (uint32_t)number;
	return 0;
}

static int read_sure(struct reader *reader, struct word value)
{
	return read_percent(reader, value, &reader->sure);
}

static int read_unknown(struct reader *reader, struct word value)
{
	return read_percent(reader, value, &reader->named->model.unknown);
}

static int read_bound(struct reader *reader, struct word value, uint32_t *bound)
{
	uint64_t number;

	if (!read_number(value, UINT16_MAX, &number))
		return REFUSE(reader, "write 0 to 65535", "no bound: %.*s", SHOWN(value));
	*bound = (uint32_t)number;
	reader->named->model.keeps |= number ? KEEPS_LENGTHS : 0;
	return 0;
}

static int read_floor(struct reader *reader, struct word value)
{
	return read_bound(reader, value, &reader->named->model.floor);
}

static int read_ceiling(struct reader *reader, struct word value)
{
	return read_bound(reader, value, &reader->named->model.ceiling);
}

static const struct {
	const char *key;
	int (*read)(struct reader *reader, struct word value);
} settings[] = {
	{ "window:", read_window },
	{ "step:", read_step },
	{ "confirm:", read_confirm },
	{ "protocol:", read_protocol },
	{ "headers:", read_headers },
	{ "sure:", read_sure },
	{ "interactive:", read_interactive },
	{ "unknown:", read_unknown },
	{ "floor:", read_floor },
	{ "ceiling:", read_ceiling },
};

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* Whether a comment begins as a setting, with blanks between or without. */
static bool begins_setting(const char *comment, const char *end, const char *key)
{
	size_t length = strlen(key) - 1; /* without the colon */
	const char *at = skip_blanks(comment + 1, end);

	if ((size_t)(end - at) < length || memcmp(at, key, length) != 0)
		return false;
	at = skip_blanks(at + length, end);
	return at < end && *at == ':';
}

static int read_setting(struct reader *reader, size_t place)
{
	const char *key = settings[place].key;

	if (reader->words != 3 || !is_word(reader->word[0], "#") || !is_word(reader->word[1], key))
		return REFUSE(reader, "put blanks between these three words",
			      "a setting is written # %s VALUE", key);
	if (reader->settings & 1u << place)
		return REFUSE(reader, "leave one of them out", "%s twice", key);
	reader->settings |= 1u << place;
	return settings[place].read(reader, reader->word[2]);
}

/* "# key: value": of our keys in this form alone, and once; others are the trainer's. */
static int read_comment(struct reader *reader, const char *comment, const char *end)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (begins_setting(comment, end, settings[i].key))
			return read_setting(reader, i);
	return 0;
}

/* Returns false if there are more words than any line may have. */
static bool split_words(struct reader *reader, const char *at, const char *end)
{
	reader->words = 0;
	while (at < end) {
		const char *from;

		at = skip_blanks(at, end);
		for (from = at; at < end && !is_blank(*at);)
			at++;
		if (from == at)
			break;
		if (reader->words == WORDS_MOST)
			return false;
		reader->word[reader->words++] = (struct word){ from, (size_t)(at - from) };
	}
	return true;
}

/* Where the first byte is that no text has, or the end. */
static const char *strange(const char *at, const char *end)
{
	while (at < end && (is_blank(*at) || (*at > ' ' && *at != 0x7f) || *at < 0))
		at++;
	return at;
}

static int read_line(struct reader *reader, const char *at, const char *end)
{
	bool is_comment = at < end && *at == '#';
	bool fits = split_words(reader, at, end);

	if (strange(at, end) < end)
		return REFUSE(reader, "give a model as text", "no text: this is no model");
	if (is_comment)
		return read_comment(reader, at, end);
	if (!fits)
		return REFUSE(reader, "write a model's lines", "more words than a line may have");
	if (!reader->words)
		return 0;
	if (is_word(reader->word[0], "classes"))
		return read_classes(reader);
	if (is_word(reader->word[0], "attributes"))
		return read_attributes(reader);
	return read_node(reader);
}

/* What a node names is there; its branches are written as places. */
static int resolve(struct reader *reader, uint32_t place)
{
	const struct written *written = &reader->written[place];
	struct model *model = &reader->named->model;
	struct node *node = &model->node[place];

	if (written->attribute >= model->attributes)
		return refuse(reader, written->line, "name it in the line of attributes",
			      "a_%u: there are %u attributes", written->attribute,
			      model->attributes);
	if (written->missing >= model->classes)
		return refuse(reader, written->line, "name it in the line of classes",
			      "c_%u: there are %u classes", written->missing, model->classes);
	node->attribute = (uint8_t)written->attribute;
	node->missing = (uint8_t)written->missing;
	for (size_t i = 0; i < 2; i++) {
		const struct branch *branch = &written->branch[i];

		if (branch->is_class && branch->number >= model->classes)
			return refuse(reader, written->line, "name it in the line of classes",
				      "c_%u: there are %u classes", branch->number, model->classes);
		if (!branch->is_class && reader->place[branch->number] == ABSENT)
			return refuse(reader, written->line, "write a line for it",
				      "n_%u: there is no such node", branch->number);
		node->target[i] = reader->place[branch->number];
		if (branch->is_class)
			node->target[i] = LEAF_OF(branch->number, branch->confidence);
	}
	return 0;
}

/*
 * Goes down from the root, level by level: a node that is reached again is the end of a circle, or
 * of two ways. todo has room for all nodes.
 */
static int walk(const struct reader *reader, uint16_t *todo, uint8_t *depth)
{
	const struct model *model = &reader->named->model;
	uint32_t count = 1;

	todo[0] = 0;
	depth[0] = 1;
	for (uint32_t at = 0; at < count; at++) {
		uint32_t line = reader->written[todo[at]].line;

		if (depth[todo[at]] > MODEL_DEPTH_MOST)
			return refuse(reader, line, "train a smaller tree",
				      "n_%u is more than 16 nodes deep", reader->number[todo[at]]);
		for (size_t i = 0; i < 2; i++) {
			uint16_t next = model->node[todo[at]].target[i];

			if (next & LEAF)
				continue;
			if (depth[next])
				return refuse(reader, line, "write a tree",
					      "n_%u is reached twice: this is no tree",
					      reader->number[next]);
			depth[next] = (uint8_t)(depth[todo[at]] + 1);
			todo[count++] = next;
		}
	}
	for (uint32_t at = 0; at < model->nodes; at++)
		if (!depth[at])
			return refuse(reader, reader->written[at].line, "leave it out",
				      "no node leads to n_%u", reader->number[at]);
	return 0;
}

/* The root goes to place 0, where a walk begins. */
static void put_root_first(struct reader *reader)
{
	struct model *model = &reader->named->model;
	uint16_t root = reader->place[0], other = reader->number[0];
	struct written written = reader->written[root];
	struct node node = model->node[root];

	model->node[root] = model->node[0];
	reader->written[root] = reader->written[0];
	reader->number[root] = other;
	reader->place[other] = root;
	model->node[0] = node;
	reader->written[0] = written;
	reader->number[0] = 0;
	reader->place[0] = 0;
}

static int check_tree(struct reader *reader)
{
	uint16_t todo[MODEL_NODES_MOST];
	uint8_t depth[MODEL_NODES_MOST] = { 0 };

	for (uint32_t place = 0; place < reader->named->model.nodes; place++) {
		int error = resolve(reader, place);

		if (error)
			return error;
	}
	return walk(reader, todo, depth);
}

/* What decides beside the tree does so for these two classes. */
static int name_leaves(struct reader *reader)
{
	static const char *const names[] = { [HEADER_OTHER] = "other",
					     [HEADER_REALTIME] = "realtime",
					     [HEADER_INTERACTIVE] = "interactive" };
	struct model *model = &reader->named->model;
	bool decides = model->headers || model->floor || model->ceiling;
	const bool is_asked[] = { [HEADER_OTHER] = decides || model->interactive,
				  [HEADER_REALTIME] = decides,
				  [HEADER_INTERACTIVE] = model->interactive };

	for (int header = HEADER_OTHER; header <= HEADER_INTERACTIVE; header++) {
		int class = model_class(reader->named, names[header], strlen(names[header]));

		if (class < 0 && is_asked[header])
			return refuse(reader, reader->classes_line, "name it, or leave them out",
				      "headers, floor, ceiling or interactive ask for a class %s",
				      names[header]);
		if (class >= 0)
			model->by_header[header] = LEAF_OF((uint32_t)class, reader->sure);
	}
	return 0;
}

static int finish(struct reader *reader)
{
	const struct named_model *named = reader->named;
	int error;

	if (!reader->classes_line)
		return refuse(reader, 1, "give a model", "no line of classes: this is no model");
	if (!reader->attributes_line)
		return refuse(reader, 1, "give a model", "no line of attributes: this is no model");
	if (reader->place[0] == ABSENT)
		return refuse(reader, 1, "a tree begins with it", "no node n_0");
	if (named->slides && named->model.window > SLIDING_MOST)
		return refuse(reader, 1, "write 2 to 24", "a sliding window of %u packets",
			      named->model.window);
	put_root_first(reader);
	error = name_leaves(reader);
	return error ? error : check_tree(reader);
}

static int read_lines(struct reader *reader, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;
		int error;

		reader->line++;
		error = read_line(reader, text, stop);
		if (error)
			return error;
		text = newline ? newline + 1 : end;
	}
	return finish(reader);
}

int model_class(const struct named_model *named, const char *name, size_t length)
{
	for (uint32_t i = 0; i < named->model.classes; i++)
		if (strlen(named->class_name[i]) == length &&
		    memcmp(named->class_name[i], name, length) == 0)
			return (int)i;
	return -1;
}

int model_read(struct named_model *named, const char *name, const char *text, size_t length,
	       struct fault *fault)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int error;

	memset(named, 0, sizeof(*named));
	model_preset(&named->model);
	if (!reader)
		return fault_system(fault, -ENOMEM, "model", "reading a model");
	reader->named = named;
	reader->name = name;
	reader->fault = fault;
	reader->sure = 100;
	memset(reader->place, 0xff, sizeof(reader->place));
	error = length > MODEL_BYTES_MOST ? refuse(reader, 1, "give a model", "more than 1 MiB")
					  : read_lines(reader, text, length);
	free(reader);
	return error;
}
