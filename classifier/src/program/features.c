// SPDX-License-Identifier: Apache-2.0
/* features: a line for each full window, with the attributes that are asked for. */
#include "capture/flows.h"
#include "model/attribute.h"
#include "program/program.h"

#include <errno.h>
#include <stdio.h>

/* An attribute keeps the name that it was asked for by. */
static int read_names(struct model *model, const char *names, struct fault *fault)
{
	size_t length;

	printf("flow,packet,time_us,direction");
	for (const char *at = names; (length = list_next(&at)); at += length) {
		if (model->attributes == MODEL_ATTRIBUTES_MOST)
			return fault_set(fault, -EINVAL, "attributes", "name fewer",
					 "more than 32 attributes");
		if (attribute_parse(&model->attribute[model->attributes], at, length))
			return fault_set(fault, -EINVAL, "attributes",
					 "such as mean.plen, fwd.max.plen, fpckts.pcnt",
					 "no attribute %.*s", (int)(length < 60 ? length : 60), at);
		model->attributes++;
		printf(",%.*s", (int)length, at);
	}
	printf("\n");
	return 0;
}

static void print_window(const struct flow_record *record, const struct seen *seen,
			 const struct model *model, const struct scratch *scratch)
{
	char name[FLOW_NAME_MOST];

	printf("%s,%llu,%llu,%s", flow_name(record, name), (unsigned long long)record->packets,
	       (unsigned long long)(seen->moment.time_us - record->first_us),
	       seen->moment.way == WAY_UP ? "up" : "down");
	for (uint32_t i = 0; i < model->attributes; i++)
		printf(",%d", scratch->value[i]);
	printf("\n");
}

static int print_all(struct flows *flows, const struct model *model, struct fault *fault)
{
	struct tables *tables = &flows->tables;
	struct packet_view view;
	struct scratch scratch;
	struct seen seen;
	int result;

	while ((result = flows_next(flows, &seen, &view, fault)) > 0) {
		struct pulse *flow = table_flow(tables, &seen.key);

		if (!flow)
			flow = classify_begin(tables, model, &seen);
		classify_add(tables, model, flow, &seen, &scratch.added);
		if (!scratch.added.full)
			continue;
		classify_read(tables, model, flow, &seen.key, &scratch);
		print_window(tables->current, &seen, model, &scratch);
	}
	return result ? result : flows_tell_left(flows, fault);
}

static int run(const struct options *options, struct fault *fault)
{
	static struct named_model named;
	struct flows flows;
	int error;

	if (!options->attributes)
		return fault_set(fault, -EINVAL, "attributes", "such as --attributes mean.plen",
				 "no attributes are named");
	model_preset(&named.model);
	named.slides = options->slides;
	if (options->window >= 0 && !model_set_window(&named, (unsigned long)options->window))
		return fault_set(fault, -EINVAL, "window", "choose 2 to 32, sliding 2 to 24",
				 "no window of %ld packets", options->window);
	error = flows_open(&flows, options->word[0], &options->file[0], options->lan, fault);
	flows.tables.slides = options->slides;
	flows.tables.keeps = KEEPS_ALL;
	if (!error)
		error = read_names(&named.model, options->attributes, fault);
	if (!error)
		error = print_all(&flows, &named.model, fault);
	flows_close(&flows);
	return error;
}

const struct command command_features = {
	.name = "features",
	.words = "FILE --attributes \"NAME ...\"",
	.words_count = 1,
	.files = 1,
	.needs = SANDBOX_PRINTS,
	.help = "CSV: for each full window its flow, the flow's packets and time so far, "
		"attributes",
	.options = "      --window N     packets of a window, 2 to 32, sliding to 24 (20)\n"
		   "      --sliding      a window ends with every packet, not with every N\n"
		   "      --lan RULE     the LAN's network as 10.0.0.0/8; auto, client or private "
		   "(auto)\n",
	.run = run,
};
