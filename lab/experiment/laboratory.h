// Where figures are made: the data sets, read and prepared once, when the first figure needs them, and the figures by
// name (lab/catalogue.h).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "attack/places.h"
#include "base/result.h"
#include "experiment/adult.h"
#include "experiment/clustering.h"
#include "experiment/figure.h"
#include "experiment/methods.h"
#include "experiment/sources.h"

namespace kith::experiment {

struct Described {
  std::string name, meaning;
};
std::vector<Described> FigureNames();
/// Whose noise the figures compare.
std::vector<Described> MethodNames();

inline constexpr std::size_t kPlaces = 6, kClusters = 8, kSide = 20;  // as published

/// A city, or several, with everything that figures take from it.
struct CityParts {
  City city;
  attack::Patterns patterns;
  attack::Grid grid;  // of all cities
  Cloud cloud;        // patterns scaled to the unit cube

  /// "Gowalla, New York: a city of 7,115 people ...".
  std::string Words() const;
};
/// Only the most visited places.
Cloud HomesOf(const Cloud& patterns);

class Laboratory {
 public:
  explicit Laboratory(Sources sources);
  ~Laboratory();

  /// Fails: kInvalidArgument for a name that is not listed; as the sources and the figures.
  Result<Figure> Run(const std::string& name, const Settings& settings, const CancelFlag& cancel);

  const Sources& sources() const;
  /// One city; several, each with its own grid. Users with fewer visits than settings.least are left out.
  Result<CityParts*> OneCity(const Settings& settings);
  Result<CityParts*> SeveralCities(const Settings& settings);
  /// Noise for friends of the one city.
  Result<Noise*> CityNoise(const Settings& settings);
  Result<const Adult*> Census();
  Result<const Networks*> AllNetworks();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kith::experiment
