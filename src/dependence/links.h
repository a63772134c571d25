// A graph as the links of a model of pairs.
#pragma once
#include "dependence/graph.h"
#include "dependence/model.h"

namespace kith {

/// Lists the links of graphs of up to 20,000 records and 200,000 edges; of larger ones only the largest degree is kept,
/// which is all that the formula uses. Requires: no hard edges.
void SetLinks(const Graph& graph, PairLaws& pairs);

}  // namespace kith
