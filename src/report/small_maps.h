// The same map repeated, small and side by side: how places change with time. One scale of colours for all.
#pragma once
#include <string>
#include <vector>

namespace kith::report {

struct SmallMaps {
  struct Panel {
    std::string caption;         // when
    std::vector<double> values;  // as HeatMap::values; empty: nothing was released
    std::string remark;          // then shown in its place
  };

  std::string title, value_label;
  double aspect = 1;  // height of the region over its width, as it should look
  std::size_t columns = 0, rows = 0;
  std::vector<Panel> panels;
  double error_95 = 0;  // of one value, the largest of all panels
  std::vector<std::string> footer;
};

/// At most a few thousand rectangles in each panel: finer maps are drawn in blocks, as the mean of what they hold.
std::string Svg(const SmallMaps& maps);

}  // namespace kith::report
