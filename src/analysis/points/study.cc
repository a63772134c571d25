#include "analysis/points/study.h"

#include <fmt/format.h>

#include <bit>

#include "analysis/points/grid_study.h"
#include "analysis/points/line_study.h"

namespace kith::points {
namespace {

Result<int> LogOf(std::size_t cells, std::size_t most) {
  if (cells >= 2 && cells <= most && std::has_single_bit(cells)) return static_cast<int>(std::bit_width(cells)) - 1;
  return InvalidArgument(fmt::format("cells must be a power of two from 2 to {}", most), {}, "ask for 64, for example")
      .For("points.cells");
}

}  // namespace

const std::vector<std::pair<std::string, Method>>& Methods() {
  static const std::vector<std::pair<std::string, Method>> methods = {
      {"pyramid", Method::kPyramid},       {"hat", Method::kHat},
      {"quadtree", Method::kQuadtree},     {"equi-width", Method::kEquiWidth},
      {"cumulative", Method::kCumulative}, {"groups", Method::kGroups},
      {"quantiles", Method::kQuantiles}};
  return methods;
}

Result<std::unique_ptr<Study>> MakePoints(const PointsOptions& options, const Policy& policy) {
  auto positions = Positions::Make(options.columns, options.where, policy);
  if (!positions) return positions.error();
  const bool line = positions->axes().size() == 1;
  const bool sources = positions->AppearsAnywhere() || !positions->appears().empty();
  Method method = options.method.value_or(Method::kPyramid);
  if (!options.method && line && positions->metric() && !sources && !positions->ByDistance())
    method = Method::kCumulative;
  if (!options.method && !options.quantiles.empty()) method = Method::kQuantiles;
  if (!options.method && options.groups > 0) method = Method::kGroups;
  const bool sorted = method == Method::kCumulative || method == Method::kGroups || method == Method::kQuantiles;
  if (sorted && !line) {
    return InvalidArgument("points in two dimensions have no order", {},
                           "use the method pyramid, hat, quadtree or equi-width, or name one column")
        .For("points.method");
  }
  if ((options.groups > 0) != (method == Method::kGroups))
    return InvalidArgument("a number of groups and the method groups belong together", {},
                           "give both, such as 100 groups")
        .For("points.groups");
  if (!options.quantiles.empty() != (method == Method::kQuantiles))
    return InvalidArgument("quantiles and the method quantiles belong together", {},
                           "give both, such as the quantile 0.5")
        .For("points.quantiles");
  std::optional<int> finest;
  if (options.cells != 0) {
    const auto log = LogOf(options.cells, line ? PointsOptions::kMaxLineCells : PointsOptions::kMaxCells);
    if (!log) return log.error();
    finest = *log;
  }
  if (sorted) return LineStudy::Make(std::move(*positions), method, options);
  const bool hats = method == Method::kPyramid || method == Method::kHat;
  const bool several = method == Method::kPyramid || method == Method::kQuadtree;
  const Ladder ladder(hats ? Basis::kHats : Basis::kCells, line ? 1 : 2);
  return GridStudy::Make(std::move(*positions), ladder, finest, several);
}

}  // namespace kith::points
