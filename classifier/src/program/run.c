// SPDX-License-Identifier: Apache-2.0
/* run: what a model makes of each flow, or of each packet. */
#include "capture/flows.h"
#include "program/program.h"

#include <stdio.h>

const char *const verdict_words[] = {
	[VERDICT_NONE] = "none",       [VERDICT_PROBATION] = "probation", [VERDICT_CLASS] = "class",
	[VERDICT_WAITING] = "waiting", [VERDICT_DEMOTED] = "demoted",
};

static const char *class_name(const struct named_model *named, uint8_t class)
{
	return class == CLASS_NONE ? "" : named->class_name[class];
}

static void print_packet(const struct named_model *named, const struct flow_record *record,
			 const struct seen *seen, const struct outcome *outcome)
{
	char name[FLOW_NAME_MOST];

	printf("%s,%llu,%llu,%s,%s,%u,%s\n", flow_name(record, name),
	       (unsigned long long)record->packets,
	       (unsigned long long)(seen->moment.time_us - record->first_us),
	       seen->moment.way == WAY_UP ? "up" : "down", class_name(named, outcome->class),
	       outcome->confidence, verdict_words[outcome->verdict]);
}

static void print_flow(const struct named_model *named, const struct flow_record *record)
{
	char name[FLOW_NAME_MOST];

	printf("%s,%llu,%llu,%s,%u,%llu,%llu\n", flow_name(record, name),
	       (unsigned long long)record->packets, (unsigned long long)record->bytes,
	       class_name(named, record->class), record->confidence,
	       (unsigned long long)record->decided_packet, (unsigned long long)record->decided_us);
}

static void keep(struct flow_record *record, const struct seen *seen, const struct outcome *outcome)
{
	if (!outcome->fresh)
		return;
	if (!record->decided_packet) {
		record->decided_packet = record->packets;
		record->decided_us = seen->moment.time_us - record->first_us;
	}
	record->class = outcome->class;
	record->confidence = outcome->confidence;
}

static int judge_all(struct flows *flows, const struct named_model *named, bool by_packet,
		     struct fault *fault)
{
	struct packet_view view;
	struct scratch scratch;
	struct seen seen;
	int result;

	while ((result = flows_next(flows, &seen, &view, fault)) > 0) {
		struct outcome outcome;

		classify(&flows->tables, &named->model, &scratch, &seen, &outcome);
		keep(flows->tables.current, &seen, &outcome);
		if (by_packet)
			print_packet(named, flows->tables.current, &seen, &outcome);
	}
	return result;
}

static int print_all(struct flows *flows, const struct named_model *named, bool by_packet,
		     struct fault *fault)
{
	const struct tables *tables = &flows->tables;
	int error;

	printf(by_packet ? "flow,packet,time_us,direction,class,confidence,verdict\n"
			 : "flow,packets,bytes,class,confidence,decided_packet,decided_us\n");
	error = judge_all(flows, named, by_packet, fault);
	for (size_t i = 0; !error && !by_packet && i < tables->records; i++)
		if (tables->record[i]->packets)
			print_flow(named, tables->record[i]);
	return error ? error : flows_tell_left(flows, fault);
}

static int run(const struct options *options, struct fault *fault)
{
	static struct named_model named;
	int error = load_model(&named, options, fault);
	struct flows flows;

	if (error)
		return error;
	error = flows_open(&flows, options->word[1], &options->file[1], options->lan, fault);
	flows.tables.slides = named.slides;
	flows.tables.keeps = named.model.keeps;
	flows.tables.is_bounded = true;
	if (!error)
		error = print_all(&flows, &named, options->by_packet, fault);
	flows_close(&flows);
	return error;
}

const struct command command_run = {
	.name = "run",
	.words = "MODEL FILE",
	.words_count = 2,
	.files = 2,
	.needs = SANDBOX_PRINTS,
	.help = "CSV: the class of each flow, and after how many packets it was known",
	.options =
		"      --packets        a line for each packet\n"
		"      --priority NAMES classes that are preferred: shows guard and probation\n"
		"      --guard N        bytes a second that such a flow may take (125000)\n"
		"      --rest N         packets that pass without a look, once windows agree (0)\n"
		"      --confirm N      a class holds after so many more windows agree\n"
		"      --window N, --sliding, --lan RULE  as above; else as the model says\n",
	.run = run,
};
