// SPDX-License-Identifier: Apache-2.0
/* Models, and what the command line changes of them. */
#include "program/program.h"

#include <errno.h>
#include <string.h>

size_t list_next(const char **list)
{
	size_t skipped = strspn(*list, " ,\t");

	*list += skipped;
	return strcspn(*list, " ,\t");
}

/* Every class has a mark, so that what each flow is stays known; some are preferred. */
static int set_actions(struct named_model *named, const char *priority, struct fault *fault)
{
	const char *at = priority ? priority : "";
	struct model *model = &named->model;
	size_t length;

	for (uint32_t i = 0; i < model->classes; i++)
		model->action[i].mark = i + 1;
	for (; (length = list_next(&at)); at += length) {
		int class = model_class(named, at, length);

		if (class < 0)
			return fault_set(fault, -EINVAL, "priority", "name classes of the model",
					 "--priority: no class %.*s",
					 (int)(length < 60 ? length : 60), at);
		model->action[class].priority = 1;
		model->probation_mark = model->classes + 1;
	}
	return 0;
}

void mark_preferred(struct model *model, uint32_t mark)
{
	for (uint32_t i = 0; i < model->classes; i++)
		model->action[i].mark = model->action[i].priority ? mark : 0;
	if (model->probation_mark)
		model->probation_mark = mark;
}

static int apply(struct named_model *named, const struct options *options, struct fault *fault)
{
	named->slides |= options->slides;
	if (!model_set_window(named, options->window < 0 ? named->model.window
							 : (unsigned long)options->window))
		return fault_set(fault, -EINVAL, "window", "choose 2 to 32, sliding 2 to 24",
				 "no window of %ld packets", options->window);
	if (options->confirm >= 0)
		named->model.confirm = (uint32_t)options->confirm;
	if (options->rest >= 0)
		named->model.rest = (uint32_t)options->rest;
	if (options->guard >= 0)
		model_set_guard(&named->model, (uint32_t)options->guard);
	return set_actions(named, options->priority, fault);
}

int load_model(struct named_model *named, const struct options *options, struct fault *fault)
{
	const struct file *file = &options->file[0];
	int error =
		model_read(named, options->word[0], (const char *)file->bytes, file->size, fault);

	return error ? error : apply(named, options, fault);
}
