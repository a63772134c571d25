// Finite laws that can be audited exactly, and the questions asked of them: a joint law, a chain, a tree or a star, and
// a sum of whole numbers over the records. Source: docs/theory/published.md#exact-losses.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "dependence/model.h"
#include "published/network.h"

namespace kith::audit {

/// Joint laws may be larger here than those a transfer function takes: one pass over the rows is enough.
inline constexpr std::size_t kMostRows = std::size_t{1} << 20;

/// A declared law with every number that the exact loss needs.
struct FiniteLaw {
  std::variant<Joint, published::Network> law;
  std::vector<std::size_t> values;  // how many values each record has
  std::vector<char> secret;         // which records are somebody's; a star declares only the law of its middle
  bool linked_only = false;         // pairs were declared: published formulas look only at linked records
  bool has_priors = true;           // a star does not say how likely the values of its middle are
  std::optional<Model> model;       // for transfer functions; nothing: a joint law that is too large for them

  std::size_t records() const { return values.size(); }
};

/// Fails: kInvalidArgument for models that state strengths but no law, and for whatever Check refuses.
Result<FiniteLaw> LawOf(Model model);
/// The JSON form of a model (dependence/model_json.h); a joint law may have up to kMostRows rows.
Result<FiniteLaw> LawFromJson(std::string_view text, const std::string& name);

/// A question: what each value of each record adds to the answer, [record][value].
struct Additive {
  std::vector<std::vector<std::int64_t>> adds;
  std::string words;  // what is asked, for people

  /// How far one record can move the answer.
  std::int64_t Range(std::size_t record) const;
  std::int64_t Sensitivity() const;
};

/// "count": records whose value is not 0; "count:2": those whose value is 2; "sum": values as numbers;
/// "sum:0,3,10": value k adds the k-th number.
/// Fails: kInvalidArgument for anything else.
Result<Additive> QuestionFrom(const std::string& words, const FiniteLaw& law);

/// What an answer reveals about one record: laws of the answer on 0, 1, 2, ... above its smallest value.
struct RecordAnswers {
  published::Secret secret;
  std::vector<std::size_t> values;  // of the record: secret.given[k] is the law given values[k]
};

/// The law of the answer given each possible value of each secret record that can vary. One pass over the rows of a
/// joint law; messages along a network.
/// Ensures [AUDIT-1]: right to a few units in the last place for every probability above 1e-290.
/// Fails: kInvalidArgument if the question does not fit the law or the table would be too large.
Result<std::vector<RecordAnswers>> AnswersOf(const FiniteLaw& law, const Additive& question);

/// True if no probability of an answer can be too small for a double: then tails are exact, however far out.
bool NothingUnderflows(const FiniteLaw& law);

/// The joint law of a network of few records. Nothing if it has more than `most` rows.
std::optional<Joint> Expanded(const FiniteLaw& law, std::size_t most);

}  // namespace kith::audit
