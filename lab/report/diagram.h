// Who is served with what, and which things give each other away: boxes in two columns, with lines between them.
#pragma once
#include <string>
#include <vector>

namespace kith::report {

struct Diagram {
  struct Link {
    std::size_t from = 0, to = 0;
    std::string label;
    bool strong = false;
  };
  std::string title, left_title, right_title;
  std::vector<std::string> left, right;  // names in the boxes
  std::vector<Link> across;              // from left to right: dashed
  std::vector<Link> within;              // between two on the left: a solid arc next to them
  std::string joined;                    // between those on the right, if there are several: a solid line; empty: none
};

std::string Svg(const Diagram& diagram);

}  // namespace kith::report
