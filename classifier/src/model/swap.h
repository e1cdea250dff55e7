// SPDX-License-Identifier: Apache-2.0
/*
 * What a model may change that takes the place of one in use: attributes, tree, confirmation, and
 * the size of a jumping window. What is kept of flows stays, and has to mean the same to both.
 */
#ifndef GM_CLASSIFIER_SWAP_H
#define GM_CLASSIFIER_SWAP_H

#include "model/read.h"

/* Whether it may. 0, or -EINVAL with the fault filled. */
int model_may_follow(const struct named_model *other, const struct named_model *in_use,
		     struct fault *fault);

#endif
