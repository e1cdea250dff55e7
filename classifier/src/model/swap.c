// SPDX-License-Identifier: Apache-2.0
/* A model beside the one in whose place it comes. */
#include "model/swap.h"

#include <errno.h>
#include <string.h>

static int refuse(struct fault *fault, const char *difference)
{
	return fault_set(fault, -EINVAL, "model", "attach it anew",
			 "the new model %s than the one in use", difference);
}

/* Decisions and the last results of the tree are kept as numbers of classes. */
static bool same_classes(const struct named_model *a, const struct named_model *b)
{
	if (a->model.classes != b->model.classes)
		return false;
	for (uint32_t i = 0; i < a->model.classes; i++)
		if (strcmp(a->class_name[i], b->class_name[i]) != 0)
			return false;
	return true;
}

int model_may_follow(const struct named_model *other, const struct named_model *in_use,
		     struct fault *fault)
{
	/* The places of a sliding window are those of its size; a jumping one has sums alone. */
	if (other->slides != in_use->slides ||
	    (other->slides && other->model.window != in_use->model.window))
		return refuse(fault, "keeps other windows");
	if (!same_classes(other, in_use))
		return refuse(fault, "has other classes");
	if (other->model.protocol != in_use->model.protocol)
		return refuse(fault, "is for flows of another protocol");
	return 0;
}
