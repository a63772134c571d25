#include "experiment/catalogue.h"

#include <algorithm>
#include <map>

namespace kith::experiment {

const std::vector<FigureEntry>& Catalogue() {
  static const std::vector<FigureEntry> kAll = [] {
    std::vector<FigureEntry> all;
    for (auto list : {ExampleFigures, CityFigures, AttackFigures, DependentFigures, IdentityFigures, OneSidedFigures,
                      NeighbourhoodFigures, OwnFigures}) {
      for (auto& entry : list()) all.push_back(std::move(entry));
    }
    return all;
  }();
  return kAll;
}

std::vector<std::string> FiguresCalled(const std::string& word) {
  std::vector<std::string> names;
  for (const FigureEntry& entry : Catalogue()) {
    if (word == "all" || word == entry.name || word == entry.paper ||
        std::find(entry.also.begin(), entry.also.end(), word) != entry.also.end())
      names.push_back(entry.name);
  }
  return names;
}

std::vector<std::string> FigureWords() {
  std::vector<std::string> words = {"all"};
  const auto add = [&](const std::string& word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  };
  for (const FigureEntry& entry : Catalogue()) add(entry.paper);
  for (const FigureEntry& entry : Catalogue()) {
    add(entry.name);
    for (const auto& word : entry.also) add(word);
  }
  return words;
}

std::string PaperTitle(const std::string& paper) {
  static const std::map<std::string, std::string> kTitles = {
      {"dependent", "Dependence makes you vulnerable: dependent differential privacy (NDSS 2016)"},
      {"identity", "Identity differential privacy"},
      {"one-sided", "One-sided privacy over dependent attributes"},
      {"neighbourhood", "Delta-neighbourhood privacy for spatial and dynamic data"},
      {"kith", "Of no paper"}};
  const auto found = kTitles.find(paper);
  return found == kTitles.end() ? paper : found->second;
}

}  // namespace kith::experiment
