// The figures of section VII by name, on whatever data the sources bring. Data sets and graphs are read and built once,
// when the first figure needs them.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attack/places.h"
#include "base/result.h"
#include "lab/adult.h"
#include "lab/figure.h"
#include "lab/networks.h"

namespace kith::experiment {

/// People of a city: where they were, and who is whose friend.
struct City {
  attack::Visits visits;
  attack::Friends friends;
};

struct Sources {
  std::function<Result<City>()> city;
  std::function<Result<Adult>()> adult;
  std::function<Result<std::vector<Network>>()> networks;
  std::string data;  // in words: "New York, Gowalla", "synthetic stand-in"
};

struct Described {
  std::string name, meaning;
};
const std::vector<Described>& FigureNames();
/// Whose noise the figures compare.
std::vector<Described> MethodNames();

class Laboratory {
 public:
  explicit Laboratory(Sources sources);
  ~Laboratory();

  /// Fails: kInvalidArgument for a name that is not listed; as the sources and the figures.
  Result<Figure> Run(const std::string& name, const Settings& settings, const CancelFlag& cancel);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kith::experiment
