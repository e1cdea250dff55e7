// SPDX-License-Identifier: Apache-2.0
/* Attributes by their names: [fwd.|bck.|up.|down.]<statistic>.<feature>. */
#ifndef GM_CLASSIFIER_ATTRIBUTE_H
#define GM_CLASSIFIER_ATTRIBUTE_H

#include "classifier/core/feature.h"

#include <stddef.h>

#define ATTRIBUTE_NAME_MOST 32

/* 0; -1: there is no such attribute. */
int attribute_parse(struct attribute *attribute, const char *name, size_t length);

/* Writes the name in the form that is published (fwd. and bck.). Returns text. */
const char *attribute_name(struct attribute attribute, char text[ATTRIBUTE_NAME_MOST]);

#endif
