#include "transfer/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "base/digest.h"
#include "dependence/graph_builder.h"
#include "transfer/check/field_witness.h"
#include "transfer/field/cliques.h"
#include "transfer/field/field_finder.h"
#include "transfer/field/field_large.h"
#include "transfer/functions.h"
#include "transfer/gaussian/gaussian.h"
#include "transfer/gaussian/probit.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

Error NoWitness(const char* what) {
  return InvalidArgument(what, "witness", "recompute the bound from its formula (docs/theory/transfer.md)");
}

/// JSON text, piece by piece: a graph of a million edges would be a tree of many millions of values.
class Text {
 public:
  Text& Add(std::string_view text) {
    text_ += text;
    return *this;
  }
  /// Exactly the number, for whoever reads it as a double; infinity is null.
  Text& Number(double x) {
    if (std::isinf(x)) return Add("null");
    fmt::format_to(std::back_inserter(text_), "{}", x);
    return *this;
  }
  template <class Items, class Write>
  Text& List(const Items& items, const Write& write) {
    Add("[");
    bool first = true;
    for (const auto& item : items) {
      if (!std::exchange(first, false)) Add(",");
      write(item);
    }
    return Add("]");
  }
  template <class Numbers>
  Text& All(const Numbers& numbers) {
    return List(numbers, [&](const auto& x) { Number(static_cast<double>(x)); });
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

/// A tie between records, and what each of them sends to the others: at least the loss about it when they are known.
struct WrittenTie {
  std::vector<std::uint32_t> records;
  double theta = 0;
  std::vector<double> messages;
};
struct WrittenBlock {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> ties;
  std::vector<double> inside;  // what its links tell each of its nodes
};
struct WrittenField {
  std::int64_t nodes = 0;
  std::vector<std::uint32_t> hidden;
  std::vector<WrittenTie> ties;
  std::vector<WrittenBlock> blocks;
  std::vector<int> depths;
};

Witness Finished(Text text, double bound) {
  Witness witness;
  witness.text = text.Add(",\"bound\":").Number(bound).Add("}\n").Take();
  witness.digest = Sha256(witness.text);
  witness.bound = bound;
  return witness;
}

Witness Write(const WrittenField& field, double plain, double bound, bool gaussian) {
  Text text;
  text.Add("{\"kith_witness\":1,\"kind\":\"field\",\"loss\":").Add(gaussian ? "\"gaussian\"" : "\"pure\"");
  text.Add(",\"plain\":").Number(plain).Add(",\n\"model\":{\"nodes\":").Add(std::to_string(field.nodes));
  text.Add(",\"hidden\":").All(field.hidden);
  text.Add(",\"ties\":").List(field.ties, [&](const WrittenTie& tie) {
    text.Add("[").All(tie.records).Add(",").Number(tie.theta).Add("]");
  });
  text.Add("},\n\"messages\":").List(field.ties, [&](const WrittenTie& tie) { text.All(tie.messages); });
  text.Add(",\n\"blocks\":").List(field.blocks, [&](const WrittenBlock& block) {
    text.Add("{\"nodes\":").All(block.nodes).Add(",\"ties\":").All(block.ties);
    text.Add(",\"inside\":").All(block.inside).Add("}");
  });
  text.Add(",\n\"depths\":").All(field.depths);
  return Finished(std::move(text), bound);
}

Witness OfSmall(const Field& model, double plain, bool gaussian) {
  const SmallField field(model, gaussian ? ProbitPhi : Phi);
  const FieldFinder finder = gaussian ? FieldFinder::ForGaussian(field) : FieldFinder::ForPure(field);
  const std::vector<double> losses = field.Plain(PlainLosses::All(plain));
  const FieldWitness found = Proved(field, finder.blocks(), losses, finder.Find(losses));
  WrittenField written{model.nodes, model.hidden, {}, {}, found.depths};
  for (std::uint32_t t = 0; t < field.ties(); ++t) {
    const auto& tie = field.tie(t);
    WrittenTie& out = written.ties.emplace_back(WrittenTie{{}, tie.theta, {}});
    for (std::uint32_t m = tie.first; m < tie.first + tie.size; ++m) {
      out.records.push_back(field.member(m).node);
      out.messages.push_back(found.messages[m]);
    }
  }
  for (const auto& block : finder.blocks().blocks()) {
    WrittenBlock& out = written.blocks.emplace_back();
    for (const auto p : block.parts) {
      const auto& part = finder.blocks().parts()[p];
      out.nodes.push_back(part.node);
      out.inside.push_back(found.inside[p]);
      for (const auto m : part.members) {
        if (field.tie(field.member(m).tie).first == m) out.ties.push_back(field.member(m).tie);
      }
    }
  }
  std::vector<double> proved = ProvedLosses(field, finder.blocks(), losses, found);
  const std::vector<double> block = field.BlockLosses(losses);
  const std::vector<double> sums = field.ComponentSums(losses);
  double bound = 0;
  for (std::uint32_t i = 0; i < proved.size(); ++i) {
    if (!field.hidden(i)) bound = std::max(bound, std::min({proved[i], block[i], sums[field.ComponentOf(i)]}));
  }
  return Write(written, plain, bound, gaussian);
}

/// Looked for once more, in double precision and until nothing falls: what is written leaves no room below.
Result<Witness> OfGraph(const Field& model, double plain) {
  auto graph = model.graph;
  if (!graph) {
    auto made = GraphFromEdges(model.nodes, model.edges, RepeatedPairs::kAdd);
    if (!made) return made.error();
    graph = std::make_shared<const Graph>(std::move(*made));
  }
  if (graph->has_hard_edges()) return NoWitness("a big graph with hard constraints has no witness that can be written");
  FieldOptions options;
  options.precision = FieldOptions::Precision::kDouble;
  options.gain = 1e-14;
  options.threads = std::max(1U, std::thread::hardware_concurrency());
  const auto finder = LargeField::Make(graph, model.hidden, options);
  if (!finder) return finder.error();
  const NodeLosses losses(*graph, finder->hidden(), PlainLosses::All(plain));
  const auto found = finder->Find(losses);
  if (!found) return found.error();
  const GraphBlocks& blocks = finder->blocks();
  TakenNumbers numbers;
  const GraphBound proved = ProvedOnGraph(*graph, losses, blocks, found->witness, false, &numbers);
  if (numbers.sent.empty() && graph->slots() > 0) return NoWitness("what was found proves nothing beyond groups");
  WrittenField written{std::max<std::int64_t>(model.nodes, graph->nodes()), model.hidden, {}, {}, {}};
  std::vector<std::uint64_t> met(graph->nodes(), 0);
  std::vector<std::uint32_t> tie_of(graph->slots());
  for (std::uint32_t a = 0; a < graph->nodes(); ++a) {
    for (std::uint64_t slot = graph->offsets()[a]; slot < graph->offsets()[a + 1]; ++slot) {
      const std::uint32_t b = graph->neighbours()[slot];
      const std::uint64_t back = graph->offsets()[b] + met[b]++;
      if (b < a) continue;
      tie_of[slot] = static_cast<std::uint32_t>(written.ties.size());
      constexpr double kNone = std::numeric_limits<double>::infinity();
      const bool taken = blocks.Taken(slot);
      written.ties.push_back(
          {{a, b}, graph->Theta(slot), {taken ? kNone : numbers.sent[slot], taken ? kNone : numbers.sent[back]}});
    }
  }
  const NeighbourLists lists = ListsOf(*graph);
  for (std::size_t c = 0; c < blocks.count(); ++c) {
    const auto members = blocks.Members(c);
    WrittenBlock& out = written.blocks.emplace_back();
    for (std::size_t k = 0; k < members.size(); ++k) {
      out.nodes.push_back(members[k]);
      out.inside.push_back(numbers.inside[blocks.first(c) + k]);
      for (std::size_t j = 0; j < members.size(); ++j) {
        if (members[k] < members[j]) out.ties.push_back(tie_of[lists.SlotOf(members[k], members[j])]);
      }
    }
  }
  return Write(written, plain, proved.dependent, false);
}

Witness OfJoint(const Joint& model, double plain, double bound) {
  Text text;
  text.Add("{\"kith_witness\":1,\"kind\":\"programme\",\"loss\":\"pure\",\"plain\":").Number(plain);
  text.Add(",\n\"model\":{\"values\":").All(model.values).Add(",\"law\":").All(model.law);
  text.Add("},\n\"proofs\":").List(ProofsOf(model, plain), [&](const KernelProof& proof) {
    text.Add(fmt::format("{{\"record\":{},\"a\":{},\"b\":{},\"ratio\":", proof.record, proof.a, proof.b));
    text.Number(proof.ratio).Add(",\"weights\":").List(proof.weights, [&](const auto& weight) {
      text.Add(fmt::format("[{},{},", std::get<0>(weight), std::get<1>(weight))).Number(std::get<2>(weight)).Add("]");
    });
    text.Add("}");
  });
  return Finished(std::move(text), bound);
}

}  // namespace

Result<Witness> WitnessOf(const Transfer& transfer, double plain, bool gaussian) {
  if (transfer.known()) return NoWitness("a bound against somebody who knows exact totals has no witness");
  const Model& model = transfer.model();
  const auto* field = std::get_if<Field>(&model);
  if (gaussian) {
    const auto messages = GaussianTransfer::Make(transfer);
    if (!messages) return messages.error();
    const auto mu = messages->Mu(plain);
    if (!mu) return mu.error();
    if (field == nullptr || !*mu) return NoWitness("this model's Gaussian bound is a formula or there is none");
    return OfSmall(*field, plain, true);
  }
  const auto loss = transfer.Loss(plain);
  if (!loss) return loss.error();
  if (const auto* joint = std::get_if<Joint>(&model); joint != nullptr && loss->bound == "exact") {
    return OfJoint(*joint, plain, loss->dependent);
  }
  if (field == nullptr) return NoWitness("this model's bound is a formula: it has no witness");
  if (IsLarge(*field)) return OfGraph(*field, plain);
  if (field->prevalence) return NoWitness("a bound that rests on how rare a value is has no witness");
  return OfSmall(*field, plain, false);
}

}  // namespace kith
