#include <kith/curator.h>
#include <kith/version.h>

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

Result<Curator> Curator::Open(const std::filesystem::path& policy, const Resources& resources, const Call& call) {
  EngineOptions options;
  options.threads = resources.threads;
  options.memory_bytes = resources.memory_bytes;
  auto opened = kith::Curator::Open(policy, options, api::ToInternal(call));
  if (!opened) return api::ToPublic(opened.error());
  return Curator(std::make_unique<State>(State{std::move(*opened)}));
}

Result<Explanation> Curator::Explain(const Request& request, const Price& price, const Call& call) const {
  const auto wanted = api::ToInternal(request, state_->curator.policy());
  if (!wanted) return api::ToPublic(wanted.error());
  const auto explained = state_->curator.Explain(*wanted, api::ToInternal(price), api::ToInternal(call));
  if (!explained) return api::ToPublic(explained.error());
  return api::ToPublic(*explained);
}

Result<Answer> Curator::Release(const Request& request, const Price& price, const Caller& caller,
                                const Call& call) const {
  const auto wanted = api::ToInternal(request, state_->curator.policy());
  if (!wanted) return api::ToPublic(wanted.error());
  const auto answer =
      state_->curator.Release(*wanted, api::ToInternal(price), kith::Caller{caller.name}, api::ToInternal(call));
  if (!answer) return api::ToPublic(answer.error());
  return api::ToPublic(*answer);
}

Result<BudgetReport> Curator::Budget(const Caller& caller) const {
  const auto report = state_->curator.Budget(kith::Caller{caller.name});
  if (!report) return api::ToPublic(report.error());
  return api::ToPublic(*report);
}

CancelFlag::CancelFlag() : inside_(std::make_shared<Inside>()) {}
void CancelFlag::Cancel() { inside_->flag.Cancel(); }
bool CancelFlag::cancelled() const { return inside_->flag.cancelled(); }

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
