/* SPDX-License-Identifier: Apache-2.0 */
#include "lpm/array.h"
#include "treebitmap/build.h"
#include "treebitmap/pool.h"

int tbm_append_node(struct tbm_build *build, uint32_t origin)
{
	void *origins = build->origins;
	uint32_t number;

	if (tbm_pool_take(&build->trie->nodes, 1, &number))
		return GM_LPM_NO_MEMORY;
	if (!gm_array_room(&origins, &build->origin_capacity, number + 1, sizeof(*build->origins)))
		return GM_LPM_NO_MEMORY;
	build->origins = origins;
	build->origins[number] = origin;
	return GM_LPM_OK;
}

int tbm_append_result(struct tbm_build *build, uint32_t next_hop)
{
	uint32_t place;
	int error = tbm_pool_take(&build->trie->results, 1, &place);

	if (!error)
		((uint16_t *)build->trie->results.elements)[place] = (uint16_t)next_hop;
	return error;
}
