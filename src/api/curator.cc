#include <kith/curator.h>
#include <kith/version.h>

#include "analysis/own/own.h"
#include "api/convert.h"
#include "release/release.h"

namespace kith::v1 {

struct Curator::State {
  kith::Curator curator;
};

Curator::Curator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Curator::Curator(Curator&&) noexcept = default;
Curator& Curator::operator=(Curator&&) noexcept = default;
Curator::~Curator() = default;

Result<Curator> Curator::Open(const std::filesystem::path& policy, const Resources& resources) {
  EngineOptions options;
  options.threads = resources.threads;
  options.memory_bytes = resources.memory_bytes;
  auto opened = kith::Curator::Open(policy, options);
  if (!opened) return api::ToPublic(opened.error());
  return Curator(std::make_unique<State>(State{std::move(*opened)}));
}

Result<Explanation> Curator::Explain(const Request& request, const Price& price) const {
  const auto told = [](const kith::Result<kith::Explanation>& explained) -> Result<Explanation> {
    if (!explained) return api::ToPublic(explained.error());
    return api::ToPublic(*explained);
  };
  const kith::Curator& curator = state_->curator;
  if (const auto* question = std::get_if<Question>(&request))
    return told(curator.Explain(question->sql, api::ToInternal(price)));
  const auto& statistic = std::get<Statistic>(request);
  const auto study = OwnStatistic::Make(statistic, statistic.function, curator.policy());
  if (!study) return api::ToPublic(study.error());
  return told(curator.Explain(**study, api::ToInternal(price)));
}

Result<Answer> Curator::Release(const Request& request, const Price& price) const {
  const auto given = [](const kith::Result<kith::Answer>& answer) -> Result<Answer> {
    if (!answer) return api::ToPublic(answer.error());
    return api::ToPublic(*answer);
  };
  const kith::Curator& curator = state_->curator;
  const CancelFlag cancel;
  if (const auto* question = std::get_if<Question>(&request))
    return given(curator.Ask(question->sql, api::ToInternal(price), cancel));
  const auto& statistic = std::get<Statistic>(request);
  const auto study = OwnStatistic::Make(statistic, statistic.function, curator.policy());
  if (!study) return api::ToPublic(study.error());
  return given(curator.Analyse(**study, api::ToInternal(price), cancel));
}

Result<BudgetReport> Curator::Budget() const {
  const auto report = state_->curator.Budget();
  if (!report) return api::ToPublic(report.error());
  return api::ToPublic(*report);
}

std::string Error::Text() const { return kith::Error{kith::Code::kInternal, what, where, next, parameter}.Text(); }

std::string ToText(const Value& value) {
  struct Copy {
    kith::Value operator()(const Null&) const { return kith::Null{}; }
    kith::Value operator()(bool yes) const { return yes; }
    kith::Value operator()(std::int64_t whole) const { return whole; }
    kith::Value operator()(double number) const { return number; }
    kith::Value operator()(const std::string& text) const { return text; }
  };
  return kith::ToText(std::visit(Copy{}, value));
}

const char* Version() { return kVersion; }

}  // namespace kith::v1
