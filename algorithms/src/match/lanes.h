/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scanning several records at the same time. One record's walk through an automaton waits for each
 * load before it can ask for the next, so eight records go through one loop and their waits overlap.
 * Engines give the loop; what is around it is the same for all.
 *
 * States are numbers of the engine's own. Those from `events` on accept or end a walk, and nothing
 * can follow those from `dead` on.
 */
#ifndef GM_MATCH_LANES_H
#define GM_MATCH_LANES_H

#include "automaton/dfa.h"
#include "gm/records.h"
#include "payload/result.h"

enum { GM_LANES = 8 };

/* One record on its way through one automaton. */
struct gm_lane {
	const uint8_t *at;
	uint32_t left; /* bytes to the record's end */
	uint32_t state;
	uint32_t last; /* the list that was added last: it need not be added again */
	uint32_t record;
	uint32_t part;
};

struct gm_lanes {
	const void *tables; /* the engine's */
	const uint32_t *starts; /* of each of its automata; a record goes through all */
	uint32_t parts;
	uint32_t events, dead;
	const struct gm_lists *lists;
	uint32_t (*accepts)(const void *tables, uint32_t state); /* a state's list */
	uint32_t (*end_accepts)(const void *tables, uint32_t state);
	/* Reads at most `steps` bytes of each lane; every lane has so many. */
	void (*run)(struct gm_lanes *lanes, uint32_t steps);
	/* Reads a lane to its end. */
	void (*single)(struct gm_lanes *lanes, uint32_t number);
	struct gm_hits *hits; /* of each lane */
	const struct gm_records *records;
	struct gm_result *result;
	struct gm_lane lanes[GM_LANES];
	uint64_t visits, bytes; /* states visited and bytes read, for engines that count them */
	uint32_t active; /* a bit for each lane */
	uint32_t next; /* the first record that has not begun */
	int status;
};

/* GM_LANES sets of hits, NULL without memory. */
struct gm_hits *gm_lanes_hits(uint32_t patterns);
void gm_lanes_hits_free(struct gm_hits *hits);

/* Scans all records. A status of enum gm_match_status. */
int gm_lanes_scan(struct gm_lanes *lanes);

/* All lanes have come to `states` after `read` bytes; those without a way out end there. */
int gm_lanes_events(struct gm_lanes *lanes, const uint32_t *states, uint32_t read);

/* A lane has come to `state`: adds what it accepts, and returns 1 if nothing can follow. */
int gm_lanes_event(struct gm_lanes *lanes, uint32_t number, uint32_t state);

#endif
