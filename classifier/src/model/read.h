// SPDX-License-Identifier: Apache-2.0
/*
 * Reads a model's text: the form that DIFFUSE published for C4.5 trees. Words are separated by
 * blanks; a line that begins with # is a comment.
 *
 *   # window: 20                       ours in comments: window, step (jumping or sliding), confirm,
 *                                      protocol (udp, tcp or all: of which flows it is), headers (1:
 *                                      they go before the tree), how sure they are, interactive (1:
 *                                      TCP of terminals has this class), unknown (leaves less sure
 *                                      change nothing), floor and ceiling of what is in real time;
 *                                      each once, in this form alone
 *   classes other realtime             class 0, class 1; at most 255
 *   attributes mean.plen fpckts.pcnt   attribute 0, attribute 1; at most 32
 *   n_0 a_1 r c_0 84 n_1 c_1           a node: its attribute; r: at most the split goes to the first
 *                                      branch, more to the second; n: the split itself goes to the
 *                                      first; the class of what lacks the attribute; the split; two
 *                                      branches
 *
 * The root is n_0. A split may have a fraction, which no value has: r rounds it down, n refuses it.
 * A branch to a class may say how sure it is: c_1:93 is 93 percent, c_1 is 100.
 *
 * Every node is reached on one way, over at most 16 nodes. What is not so is refused, with the
 * number of its line.
 */
#ifndef GM_CLASSIFIER_READ_H
#define GM_CLASSIFIER_READ_H

#include "classifier/core/confirm.h"
#include "classifier/core/model.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_NAME_MOST 32 /* of a class, with its end */
#define MODEL_BYTES_MOST (1u << 20)

/* A model and the names of its classes. */
struct named_model {
	struct model model;
	bool slides;
	char class_name[MODEL_CLASSES_MOST][MODEL_NAME_MOST];
};

/* The model's bounds as they are where nobody sets them. */
void model_preset(struct model *model);

/* name is the file's, for the fault. 0, or -EINVAL or -ENOMEM with the fault filled. */
int model_read(struct named_model *named, const char *name, const char *text, size_t length,
	       struct fault *fault);

/* The number of a class; -1: there is none of this name. */
int model_class(const struct named_model *named, const char *name, size_t length);

/* Sets the window's size. False: it is out of bounds. */
bool model_set_window(struct named_model *named, unsigned long window);

/* Bytes a second that a preferred flow may take, of both ways; half of that at once. A host's together: twice that. */
void model_set_guard(struct model *model, uint32_t rate);

#endif
