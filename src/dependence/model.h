// What is declared about how records depend on each other. Knows nothing about privacy, reads no files. Structs are
// simple data; Check (check.h) says whether it makes sense, ModelFromJson (model_json.h) reads the JSON
// form.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kith {

/// A law on 0..m-1: m probabilities.
using Law = std::vector<double>;
/// Conditional laws: row a is the law of one record given that another has value a.
using LawTable = std::vector<Law>;

/// Records are independent.
struct Independent {};

/// Which way yes/no records are tied, whatever all the others are.
enum class Ties {
  kEither,       // having it can make it more or less likely that another has it
  kNonNegative,  // never less likely
};

/// How the strength of one cause was declared that all members share and that acts in the same direction on all: the
/// log odds of each are a term of its own plus at most 1 times the cause.
enum class SharedBy {
  kNothing,    // there is no such cause, or nobody says so
  kOddsRatio,  // by the odds ratio that it brings about
  kSd,         // a normal cause, by its standard deviation
  kRange,      // a cause of any law, by its largest minus its smallest value
};

/// Records of one group depend on each other; groups are jointly independent.
struct GroupClass {
  std::string label;  // value of the public column that distinguishes the classes; empty if there is one class
  std::optional<double> odds_ratio;  // largest odds ratio between two members given all others; nothing: anything goes
  std::optional<std::int64_t> size;  // the largest group of this class in the world; nothing: the model's size
  double cause = 0;                  // of SharedBy::kSd and kRange, as declared; the odds ratio follows from it
};
struct Group {
  std::int64_t size = 0;            // the largest group in the world, relatives outside the table included
  std::vector<GroupClass> classes;  // at least one
  // Set: something that is yes or no of every member and through which alone members depend on each other; all else in
  // a record depends on its own yes or no. A column of the units, or in a model without a policy any name.
  std::string attribute;
  Ties ties = Ties::kEither;             // not kEither: only with an attribute, and odds ratios
  SharedBy shared = SharedBy::kNothing;  // not kNothing: the ties are non-negative

  std::int64_t SizeOf(std::size_t of_class) const { return classes[of_class].size.value_or(size); }
};
/// The largest odds ratio between two members, given all others, that a shared cause of this strength brings about.
double OddsRatioOf(SharedBy shared, double strength);
/// True if every group that class `weaker` allows is allowed by class `stronger`: of no more members, which depend no
/// more strongly.
bool AtLeastAsStrong(const Group& group, std::size_t stronger, std::size_t weaker);

/// A group in which knowing one record's value moves the law of the others by at most eta in total variation.
struct Overlap {
  std::int64_t size = 0;
  double eta = 0;
};

/// Whatever all the others are, the odds of a pair of values of `a` change by at most a factor e^theta between two
/// values of `b`.
struct Edge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double theta = 0;  // not negative; infinity is a hard constraint
};

/// Two or more records that depend on each other jointly: theta bounds the log odds ratio between one record and the
/// joint configuration of the rest.
struct Factor {
  std::vector<std::uint32_t> records;
  double theta = 0;
};

/// For yes/no records: whatever all the others are, the probability of yes is in [low, high].
struct Prevalence {
  double low = 0;
  double high = 1;
};

/// What was kept of a simulation of a field's graph (network_sample.h).
struct NetworkSample;

/// A graph too big for a list of edges (graph.h): compressed neighbour lists with one strength, or one for each edge.
class Graph;

/// A Markov random field: strengths on the edges of any graph, or on factors; single-record laws are not declared.
struct Field {
  std::int64_t nodes = 0;                // named 0 .. nodes-1
  std::vector<Edge> edges;               // empty when `graph` is set
  std::vector<Factor> factors;           // in addition to the edges
  std::vector<std::uint32_t> hidden;     // common causes: no unit's record, so their plain loss is 0
  std::optional<Prevalence> prevalence;  // holds for every node that is not hidden
  // Instead of `edges`; shared because it can be gigabytes. It may lack records that have no edge.
  std::shared_ptr<const Graph> graph;
  // Set: as a group's attribute. Then the edges are all there is: no factors, hidden causes or prevalence.
  std::string attribute;
  Ties ties = Ties::kEither;  // not kEither: only with an attribute; the joint law has pairwise terms only
  // Bounds may rest on a published inequality that has no proof here; asked for, never chosen. Not without the ties.
  bool field_free = false;
  std::shared_ptr<const NetworkSample> sample;  // set: only with field_free, and of this graph
};

/// A Markov chain: X_0 has law `start`, each next record follows the same table.
struct Chain {
  LawTable transition;
  Law start;
  std::int64_t length = 0;
};

/// Conditional laws that are known up to intervals: row a holds every law with low[a][x] <= P(x | a) <= high[a][x].
struct TableRegion {
  LawTable low, high;
};

/// Chains whose law is known up to a region. The step after a chain's k-th record follows some law of
/// seasons[(s + k) mod seasons.size()], where the chain begins in some season s; laws may differ from step to step and
/// from chain to chain. Chains have at most `length` records.
struct ChainRegion {
  std::vector<TableRegion> seasons;  // at least one, all for the same values
  std::optional<TableRegion> start;  // one row: the law of the first record; nothing: whatever it is
  std::int64_t length = 0;
};

/// A Bayesian network that is a forest.
struct Tree {
  std::vector<std::int64_t> parents;  // -1 for a root
  std::vector<LawTable> tables;       // row a: the law given that the parent has value a; a root has one row, its law
};

/// The same, with tables that are known up to intervals.
struct TreeRegion {
  std::vector<std::int64_t> parents;
  std::vector<TableRegion> tables;
};

/// Groups whose members have a common cause that is nobody's record (a school's teacher, a street's well): given the
/// cause, members are independent; between two states of it the odds of two values of a member change by at most a
/// factor e^theta.
struct HiddenCause {
  std::int64_t size = 0;  // the largest group in the world
  double theta = 0;       // not negative and finite
};

/// One record and its neighbours: given the record, ALL others are mutually independent; all else is independent of it.
struct Star {
  std::vector<LawTable> neighbours;  // row a: the law of that neighbour given that the record has value a
};

/// Continuous records with a distance: moving X_i by d moves the law of X_j by at most influence[i][j] * d
/// (W-infinity), for every d and whatever the others are.
struct Lipschitz {
  std::vector<std::vector<double>> influence;
  std::vector<double> diameters;  // of each record's domain; empty: unbounded, and losses are per unit of distance
};

/// Which of the published dependence coefficients a sum over pairs adds up.
enum class PairCoefficient {
  kEq14,  // between two values of a record, for the worst question of a given plain loss
  kEq18,  // the conservative form, by distances between the values
};

/// What the dependent perturbation mechanism is given: how linked records look in pairs, and nothing about more than
/// two at once. Pair laws do not determine a joint law, so sums over pairs are a theorem only where no record has two
/// links.
struct PairLaws {
  LawTable table;           // row a: the law of a linked record given value a; the same for all links, both ways
  std::int64_t degree = 0;  // the most links that one record has, in the world; or
  std::int64_t nodes = 0;   // records, named 0 .. nodes-1, and
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;  // who is linked with whom
  PairCoefficient coefficient = PairCoefficient::kEq14;
  // The values are the places of this grid, the last axis fastest; empty: the numbers 0, 1, 2, ... on one axis.
  std::vector<std::vector<double>> axes;
  // Set: a value is the cell of the grid that a record's place in these numeric columns lies in, one for each axis; the
  // nearest point of the axis counts. Where in its cell a record is says nothing about others.
  std::vector<std::string> columns;
};

/// A joint law of a few records, row-major (the last record varies fastest).
struct Joint {
  std::vector<std::int64_t> values;  // number of values of each record
  Law law;
};

/// One of them. Copied, moved and destroyed in one place: these take thirteen functions each, which every file that has
/// a policy would otherwise compile.
struct Model : std::variant<Independent, Group, Overlap, Field, Chain, Tree, Star, Lipschitz, Joint, PairLaws,
                            ChainRegion, TreeRegion, HiddenCause> {
  using variant::variant;
};

/// "group", "field", ...: the word used in policies and JSON. Models that are known up to a region share the word.
std::string Kind(const Model& model);

/// The largest number of links of one record: declared, or counted.
std::int64_t LargestDegree(const PairLaws& model);

}  // namespace kith
