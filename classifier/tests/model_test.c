// SPDX-License-Identifier: Apache-2.0
/* Reading models: what is refused, and by which line. */
#include "model/swap.h"
#include "tests/made.h"

#define HEAD "classes a b\nattributes mean.plen fpckts.pcnt\n"

static struct named_model named;

static void refused(const char *text, const char *reason)
{
	struct fault fault = { 0 };

	CHECK_EQUAL(made_model(&named, text, &fault), -EINVAL);
	CHECK_TEXT(fault.reason, reason);
}

static uint32_t leaf(int32_t first, int32_t second)
{
	struct scratch scratch = { .value = { first, second } };

	return model_leaf(&named.model, &scratch);
}

TEST(published_form_is_read)
{
	struct fault fault = { 0 };

	CHECK_EQUAL(made_model(&named,
			       "# a model\n\n" HEAD "n_1 a_1 n c_0 3 c_1 c_0:55\r\n"
			       "n_0 a_0\tr c_0 84.5 n_1 c_1",
			       &fault),
		    0);
	CHECK_EQUAL(named.model.nodes, 2);
	CHECK_EQUAL(named.model.window, 20);
	CHECK_TEXT(named.class_name[1], "b");
	CHECK_EQUAL(leaf(84, 3), LEAF_OF(1, 100));
	CHECK_EQUAL(leaf(84, 4), LEAF_OF(0, 55));
	CHECK_EQUAL(leaf(85, 3), LEAF_OF(1, 100));
}

TEST(splits_are_rounded_down)
{
	struct fault fault = { 0 };

	CHECK_EQUAL(made_model(&named, HEAD "n_0 a_0 r c_0 -2.5 c_0 c_1", &fault), 0);
	CHECK_EQUAL(named.model.node[0].split, -3);
	CHECK_EQUAL(made_model(&named, HEAD "n_0 a_0 r c_0 40.0 c_0 c_1", &fault), 0);
	CHECK_EQUAL(named.model.node[0].split, 40);
}

TEST(settings_are_read_from_comments)
{
	struct fault fault = { 0 };

	CHECK_EQUAL(made_model(&named,
			       "# gatemark: 1\n# window: 24\n# step: sliding\n# confirm: 3\n" HEAD
			       "n_0 a_0 r c_0 1 c_0 c_1",
			       &fault),
		    0);
	CHECK_EQUAL(named.model.window, 24);
	CHECK_EQUAL(named.model.confirm, 3);
	CHECK(named.slides);
	refused("# window: 40\n" HEAD, "m:1: a window of 40 packets");
	refused("# step: walking\n", "m:1: a step of walking");
	refused("# confirm: 255\n", "m:1: confirm 255");
	refused("# protocol: icmp\n", "m:1: protocol icmp");
}

TEST(setting_has_one_form_and_is_there_once)
{
	struct fault fault = { 0 };

	refused("#window: 10\n", "m:1: a setting is written # window: VALUE");
	refused("# window:10\n", "m:1: a setting is written # window: VALUE");
	refused("# confirm : 1\n", "m:1: a setting is written # confirm: VALUE");
	refused("# step: jumping or sliding\n", "m:1: a setting is written # step: VALUE");
	refused("# window: 10\n# window: 10\n", "m:2: window: twice");
	CHECK_EQUAL(made_model(&named,
			       "# windows: 9\n# window of 9\n" HEAD "n_0 a_0 r c_0 1 c_0 c_1",
			       &fault),
		    0);
	CHECK_EQUAL(named.model.window, 20);
}

#define TREE "n_0 a_0 r c_0 1 c_0 c_1"

/* The reason why a model may not take the place of another; "": it may. */
static const char *refusal(const char *other, const char *in_use)
{
	static struct named_model models[2];
	static struct fault fault;

	fault = (struct fault){ 0 };
	CHECK_EQUAL(made_model(&models[0], other, &fault), 0);
	CHECK_EQUAL(made_model(&models[1], in_use, &fault), 0);
	model_may_follow(&models[0], &models[1], &fault);
	return fault.reason;
}

TEST(model_takes_the_place_of_one_whose_flows_it_can_read)
{
	const char *const jumping = "# window: 10\n" HEAD TREE;
	const char *const sliding = "# step: sliding\n# window: 10\n" HEAD TREE;

	CHECK_TEXT(refusal("# window: 24\n# confirm: 2\n" HEAD "n_0 a_1 r c_0 7 c_1 c_0", jumping),
		   "");
	CHECK_TEXT(refusal(sliding, jumping),
		   "the new model keeps other windows than the one in use");
	CHECK_TEXT(refusal("# step: sliding\n# window: 12\n" HEAD TREE, sliding),
		   "the new model keeps other windows than the one in use");
	CHECK_TEXT(refusal("# window: 10\nclasses b a\nattributes mean.plen\n" TREE, jumping),
		   "the new model has other classes than the one in use");
	CHECK_TEXT(refusal("# window: 10\nclasses a b c\nattributes mean.plen\n" TREE, jumping),
		   "the new model has other classes than the one in use");
	CHECK_TEXT(refusal("# protocol: udp\n# window: 10\n" HEAD TREE, jumping),
		   "the new model is for flows of another protocol than the one in use");
}

TEST(foreign_files_are_refused)
{
	refused("", "m:1: no line of classes: this is no model");
	refused("classes a\n", "m:1: no line of attributes: this is no model");
	refused("\x7f"
		"ELF",
		"m:1: no text: this is no model");
	refused("a\nb", "m:1: a: this is no model");
	refused(HEAD "{\"tree\": 1}", "m:3: {\"tree\":: this is no model");
}

TEST(malformed_nodes_are_refused)
{
	refused(HEAD "n_0 a_0 r c_0 1 c_0", "m:3: a node of 6 words, not 7");
	refused(HEAD "n_0 a_0 x c_0 1 c_0 c_1", "m:3: a node of kind x");
	refused(HEAD "n_0 a_0 r c_0 1e3 c_0 c_1", "m:3: no split: 1e3");
	refused(HEAD "n_0 a_0 r c_0 1. c_0 c_1", "m:3: no split: 1.");
	refused(HEAD "n_0 a_0 r c_0 2147483648 c_0 c_1", "m:3: no split: 2147483648");
	refused(HEAD "n_0 a_0 n c_0 1.5 c_0 c_1", "m:3: no value equals 1.5");
	refused(HEAD "n_0 a_2 r c_0 1 c_0 c_1", "m:3: a_2: there are 2 attributes");
	refused(HEAD "n_0 a_0 r c_2 1 c_0 c_1", "m:3: c_2: there are 2 classes");
	refused(HEAD "n_0 a_0 r c_0 1 c_0 c_9", "m:3: c_9: there are 2 classes");
	refused(HEAD "n_0 a_0 r c_0 1 c_0 c_1:101", "m:3: no branch: c_1:101");
	refused(HEAD "n_0 a_0 r c_0 1 c_0 n_7", "m:3: n_7: there is no such node");
	refused(HEAD "n_4095 a_0 r c_0 1 c_0 c_1", "m:3: n_4095: this is no model");
	refused(HEAD "n_0 a_x r c_0 1 c_0 c_1", "m:3: no attribute: a_x");
	refused(HEAD "n_0 a_0 r c_0 1 c_0 c_1\nn_0 a_0 r c_0 1 c_0 c_1", "m:4: node n_0 twice");
	refused(HEAD "n_1 a_0 r c_0 1 c_0 c_1", "m:1: no node n_0");
}

TEST(malformed_lists_are_refused)
{
	refused("classes a a\n", "m:1: class a twice");
	refused("classes\n", "m:1: 0 classes");
	refused("classes a\nclasses b\n", "m:2: a second line of classes");
	refused("classes abcdefghijklmnopqrstuvwxyz0123456\n",
		"m:1: a class's name is longer than 31 bytes");
	refused("classes a\nattributes mean.plen bck.fmin.plenbd\n",
		"m:2: no attribute bck.fmin.plenbd");
	refused("attributes mean.plen plen\n", "m:1: no attribute plen");
}

TEST(what_is_no_tree_is_refused)
{
	refused(HEAD "n_0 a_0 r c_0 1 n_1 c_0\nn_1 a_0 r c_0 1 n_0 c_1",
		"m:4: n_0 is reached twice: this is no tree");
	refused(HEAD "n_0 a_0 r c_0 1 n_1 n_1\nn_1 a_0 r c_0 1 c_0 c_1",
		"m:3: n_1 is reached twice: this is no tree");
	refused(HEAD "n_0 a_0 r c_0 1 c_1 c_0\nn_1 a_0 r c_0 1 c_0 c_1",
		"m:4: no node leads to n_1");
}

/* A tree of so many nodes in a row. */
static int read_chain(int nodes, struct fault *fault)
{
	char text[8192];
	int at = snprintf(text, sizeof(text), HEAD);

	for (int i = 0; i < nodes; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at,
			       "n_%d a_0 r c_0 %d c_0 %s_%d\n", i, i, i + 1 < nodes ? "n" : "c",
			       i + 1 < nodes ? i + 1 : 1);
	return made_model(&named, text, fault);
}

TEST(tree_is_at_most_16_nodes_deep)
{
	struct fault fault = { 0 };

	CHECK_EQUAL(read_chain(16, &fault), 0);
	CHECK_EQUAL(leaf(15, 0), LEAF_OF(0, 100));
	CHECK_EQUAL(leaf(16, 0), LEAF_OF(1, 100));
	CHECK_EQUAL(read_chain(17, &fault), -EINVAL);
	CHECK_TEXT(fault.reason, "m:19: n_16 is more than 16 nodes deep");
}

TEST(attributes_have_the_published_names)
{
	struct attribute attribute;
	char text[ATTRIBUTE_NAME_MOST];

	CHECK_EQUAL(attribute_parse(&attribute, "up.stdev.iat", 12), 0);
	CHECK_TEXT(attribute_name(attribute, text), "fwd.stdev.iat");
	CHECK_EQUAL(attribute_parse(&attribute, "bstdev.iatbd", 12), 0);
	CHECK_TEXT(attribute_name(attribute, text), "bstdev.iatbd");
	CHECK(attribute_parse(&attribute, "sum.iat", 7) < 0);
	CHECK(attribute_parse(&attribute, "fwd.", 4) < 0);
}
