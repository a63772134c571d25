// Every figure that can be made, paper by paper. To add one: write a function that makes it (lab/laboratory.h has the
// data) and a line with its name in the list of its paper.
#pragma once
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "experiment/figure.h"

namespace kith::experiment {

class Laboratory;

struct FigureEntry {
  std::string name;               // its folder too: "fig8a"
  std::string paper;              // "dependent", "identity", "one-sided", "neighbourhood"; "kith": of no paper
  std::string meaning;            // one line
  std::vector<std::string> also;  // other names: those of its parts, or of a whole that it is part of
  Result<Figure> (*run)(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel);
};

const std::vector<FigureEntry>& Catalogue();
/// The names that a word refers to, in the order of the catalogue: a figure's name or other name, a paper, "all". None
/// for an unknown word.
std::vector<std::string> FiguresCalled(const std::string& word);
/// Every word that FiguresCalled knows.
std::vector<std::string> FigureWords();
/// "dependent": "Dependence makes you vulnerable (NDSS 2016)", ...
std::string PaperTitle(const std::string& paper);

// The lists, each in its own file.
std::vector<FigureEntry> ExampleFigures();
std::vector<FigureEntry> CityFigures();
std::vector<FigureEntry> AttackFigures();
std::vector<FigureEntry> DependentFigures();
std::vector<FigureEntry> IdentityFigures();
std::vector<FigureEntry> OneSidedFigures();
std::vector<FigureEntry> NeighbourhoodFigures();
std::vector<FigureEntry> OwnFigures();

}  // namespace kith::experiment
