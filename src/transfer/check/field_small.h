// A Markov random field with edges, factors, hidden causes and prevalence, up to 100,000 or so, made ready to be
// checked: what passes from record to record. Big graphs: graph_witness.h.  Source: docs/theory/transfer.md#field.
// Claims: claims/transfer_field.md
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dependence/model.h"
#include "transfer/pair/pair.h"
#include "transfer/transfer_function.h"

namespace kith {

/// A field made ready. Relations between the same records are one tie, whose strength is their sum. Immutable.
class SmallField {
 public:
  struct Tie {
    std::uint32_t first = 0;  // its members: first .. first + size - 1
    std::uint32_t size = 0;
    double theta = 0;
  };
  /// A node's part in a tie. Messages are kept by member: that of the node to the tie.
  struct Member {
    std::uint32_t node = 0;
    std::uint32_t tie = 0;
  };

  /// `pass`: ProbitPhi makes every loss here a Gaussian one; prevalence is then not used.
  /// Requires: the model has passed Check; edges are in the list, not in a Graph.
  explicit SmallField(const Field& model, PassOn pass = Phi);

  std::size_t nodes() const { return members_of_.size(); }
  bool hidden(std::size_t node) const { return hidden_[node]; }
  std::size_t ties() const { return ties_.size(); }
  const Tie& tie(std::uint32_t t) const { return ties_[t]; }
  const Member& member(std::uint32_t m) const { return members_[m]; }
  std::size_t members() const { return members_.size(); }
  /// The members that are this node, one for each tie it is part of.
  const std::vector<std::uint32_t>& MembersOf(std::size_t node) const { return members_of_[node]; }
  std::uint32_t ComponentOf(std::size_t node) const { return component_of_[node]; }
  const std::vector<std::vector<std::uint32_t>>& components() const { return components_; }
  bool has_prevalence() const { return prevalence_.has_value(); }

  /// Plain losses of all nodes, 0 for hidden ones; and their sums over each component, rounded up.
  std::vector<double> Plain(const PlainLosses& plain) const;
  std::vector<double> ComponentSums(const std::vector<double>& plain) const;

  /// What a tie passes on to one of its members when the bounds of the others add up to `others`. `other` is one of
  /// them.
  double Passed(const Tie& tie, double others, std::uint32_t other) const;

  /// What member m's tie reveals about it.
  double FromTie(std::uint32_t m, const std::vector<double>& messages) const;

  /// What members of a component lose together bounds the loss about member m when the rest of its tie is known:
  /// `sums` by component.
  double GroupMessage(std::uint32_t m, const std::vector<double>& plain, const std::vector<double>& sums) const;

  /// The block cap for every node. Ensures [ASSOCIATION-2].
  std::vector<double> BlockLosses(const std::vector<double>& plain) const;

 private:
  void AddTies(const Field& model);
  void FindComponents();

  std::vector<Tie> ties_;
  std::vector<Member> members_;
  std::vector<std::vector<std::uint32_t>> members_of_;
  std::vector<bool> hidden_;
  std::vector<std::uint32_t> component_of_;
  std::vector<std::vector<std::uint32_t>> components_;
  std::optional<Prevalence> prevalence_;
  PassOn pass_;
};

}  // namespace kith
