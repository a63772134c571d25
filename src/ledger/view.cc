#include "ledger/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/digest.h"
#include "loss/loss.h"

namespace kith::ledger {

namespace {

std::string Wrong(const Entry& entry, std::string_view what) {
  return fmt::format("entry {} {}", entry.position, what);
}

constexpr const char* kTooMuch = "charges more than any limit allows";
constexpr const char* kUnlawful = "is not a lawful charge";

template <class T>
bool Between(T value, T least, T most) {
  return value >= least && value <= most;
}

// What every version accepts, whether it can account for it or not.
bool Lawful(const Posting& posting, bool stream) {
  const std::int64_t most = posting.loss == LossKind::kPure ? PlainUnits::kMax : std::int64_t{1} << 62;
  return posting.cells != nullptr && Between(posting.level, Level::kPerson, Level::kHousehold) &&
         Between(posting.loss, LossKind::kPure, LossKind::kDelta) &&
         Between(posting.neighbours, Neighbours::kPresence, Neighbours::kBoth) &&
         Between(posting.covers, Covers::kMove, Covers::kAny) && posting.tick >= kNoStep && posting.amount >= 0 &&
         posting.amount <= most && (posting.account != kPlain || (posting.tick != kNoStep) == stream);
}

// A charge that distinguishes presence and content states both for the same cells: content is at least presence, and at
// most twice that, because a replacement is a removal and an addition. Claim ADDREM-2.
bool TellsOfBoth(const Entry& entry, std::size_t cells) {
  const auto apart = [](const Posting& posting) { return posting.neighbours != Neighbours::kBoth; };
  if (std::none_of(entry.postings.begin(), entry.postings.end(), apart)) return true;
  std::vector<std::int64_t> presence(cells, 0), content(cells, 0);
  for (const Posting& posting : entry.postings) {
    if (!Understood(posting) || posting.account != kPlain) continue;
    for (const std::size_t cell : posting.cells->cells) {
      const std::int64_t limit = PlainUnits::kMax;  // each amount is at most this: no sum overflows
      if (posting.neighbours != Neighbours::kContent) presence[cell] = std::min(presence[cell] + posting.amount, limit);
      if (posting.neighbours != Neighbours::kPresence) content[cell] = std::min(content[cell] + posting.amount, limit);
    }
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (presence[cell] > content[cell] || content[cell] > 2 * presence[cell]) return false;
  }
  return true;
}

// Of an alarm: which declaration it is about. One without it is from another version, which knows what it means.
bool IsDeclaration(std::string_view key) {
  constexpr std::size_t kDigits = 64;
  return key.size() == kDigits && key.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kGeneration:
      return "is a generation of the policy";
    case Kind::kSeal:
      return "is a seal";
    case Kind::kAlarm:
      return "is an alarm about the declared dependence";
    default:
      return "is a cap";
  }
}

}  // namespace

bool Understood(const Posting& posting) {
  if (posting.loss != LossKind::kPure) return false;
  if (posting.neighbours != Neighbours::kBoth &&
      (posting.account != kPlain || posting.level != Level::kPerson || posting.tick != kNoStep))
    return false;
  if (posting.level == Level::kHousehold &&
      (posting.account != kPlain || posting.covers != Covers::kAny || posting.tick != kNoStep))
    return false;
  if (posting.account == kPlain) return posting.cells->known && posting.rule.empty();
  if (posting.analyst()) {
    return posting.account.size() > kAnalyst.size() && posting.cells->text.empty() && posting.tick == kNoStep &&
           posting.covers == Covers::kAny && posting.rule.empty() && posting.amount > 0;
  }
  return posting.one_sided() && posting.cells->text.empty() && posting.tick == kNoStep && posting.amount > 0;
}

View View::AtBirth(const Birth& birth) {
  View view;
  view.head = FirstHead(birth);
  static_cast<Sums&>(view) = view.recent_ = Sums(birth.cells.size());
  view.secret = birth.secret;
  view.stream = birth.stream;
  view.columns = birth.columns;
  return view;
}

std::optional<std::string> View::Add(const Entry& entry) { return AddWithHead(entry, NextHead(head, entry, secret)); }

std::optional<std::string> View::AddVerified(const Entry& entry, std::string_view stored_head) {
  if (entry.position != position + 1) return Wrong(entry, fmt::format("follows entry {}: some are missing", position));
  auto next = NextHead(head, entry, secret);
  if (next != stored_head) return Wrong(entry, "does not match its digest: it, or one before it, was changed");
  return AddWithHead(entry, std::move(next));
}

std::optional<std::string> View::AddWithHead(const Entry& entry, std::string next_head) {
  if (entry.kind != Kind::kCharge && entry.kind != Kind::kCap && !entry.postings.empty())
    return Wrong(entry, "has postings");
  if (entry.merged && entry.kind != Kind::kVersion) return Wrong(entry, "merges cells");
  if (entry.once != (entry.kind == Kind::kCharge && stream)) return Wrong(entry, kUnlawful);
  if (entry.carried && (entry.kind != Kind::kCharge || stream)) return Wrong(entry, kUnlawful);
  switch (entry.kind) {
    case Kind::kAnswer:
      if (entry.number < 1 || entry.number > charges) return Wrong(entry, "answers a charge that does not exist");
      break;
    case Kind::kCharge:
      if (auto wrong = AddCharge(entry)) return wrong;
      break;
    case Kind::kVersion:
      if (auto wrong = AddVersion(entry)) return wrong;
      break;
    default:
      if (auto wrong = AddOther(entry)) return wrong;
  }
  position = entry.position;
  head = std::move(next_head);
  return std::nullopt;
}

// Generations, alarms, and kinds that nothing writes yet. What they mean is kept: nothing is charged as if they were
// not there.
std::optional<std::string> View::AddOther(const Entry& entry) {
  if (!Between(entry.kind, Kind::kGeneration, Kind::kCap)) return Wrong(entry, "is of no kind that there is");
  auto& count = others_[static_cast<std::size_t>(entry.kind)];
  if (entry.number != count + 1) return Wrong(entry, "is not the next of its kind");
  for (const Posting& posting : entry.postings) {
    if (!Lawful(posting, posting.tick != kNoStep)) return Wrong(entry, "is not a lawful cap");
  }
  if (entry.kind == Kind::kGeneration && !uncounted) {
    if (const auto read = ReadGeneration(entry.text)) {
      if (auto wrong = AddGeneration(entry, *read)) return wrong;
      ++count;
      return std::nullopt;
    }
  }
  ++count;
  if (entry.kind == Kind::kCap && AddCaps(entry)) return std::nullopt;
  if (entry.kind == Kind::kAlarm && IsDeclaration(entry.answer_key) && !entry.subject.empty()) {
    alarms.push_back({entry.number, entry.unix_seconds, std::string(entry.answer_key), std::string(entry.subject)});
    return std::nullopt;
  }
  Close(entry, NameOf(entry.kind), entry.kind == Kind::kGeneration || entry.kind == Kind::kAlarm);
  return std::nullopt;
}

void View::Close(const Entry& entry, const std::string& what, bool wrong_totals) {
  Obstacle obstacle{entry.position, what, {}, entry.kind == Kind::kSeal};
  if (obstacle.sealed) obstacle.successor = entry.subject;
  if (wrong_totals && !uncounted) uncounted = obstacle;
  if (!closed) closed = std::move(obstacle);
}

std::optional<std::string> View::AddCharge(const Entry& entry) {
  if (entry.number != charges + 1) return Wrong(entry, "is not the next charge");
  if (others_[static_cast<std::size_t>(Kind::kSeal)] > 0) return Wrong(entry, "follows a seal");
  std::optional<Accounts<OneSidedAccount>> accounts;
  std::optional<Accounts<AnalystAccount>> allowances;
  const bool several = std::count_if(entry.postings.begin(), entry.postings.end(),
                                     [](const Posting& posting) { return posting.account == kPlain; }) > 1;
  std::vector<std::int64_t> sums;  // where cells may be charged by several postings
  for (const Posting& posting : entry.postings) {
    // Cells that are not the ledger's own can come only with a generation that cannot be read.
    const bool cells = posting.cells != nullptr &&
                       (posting.cells->known || others_[static_cast<std::size_t>(Kind::kGeneration)] > generation);
    if (!cells || !Lawful(posting, stream)) return Wrong(entry, kUnlawful);
    if (!Understood(posting)) continue;
    if (posting.one_sided()) {
      if (!accounts) accounts = one_sided;
      auto* account = accounts->Charge(std::string_view(posting.account).substr(kOneSided.size()), posting.amount);
      if (account == nullptr) return Wrong(entry, kTooMuch);
      if (std::find(account->rules.begin(), account->rules.end(), posting.rule) == account->rules.end())
        account->rules.push_back(posting.rule);
      continue;
    }
    if (posting.analyst()) {
      if (!allowances) allowances = analysts;
      const auto name = std::string_view(posting.account).substr(kAnalyst.size());
      if (allowances->Charge(name, posting.amount) == nullptr) return Wrong(entry, kTooMuch);
      continue;
    }
    KITH_CHECK(posting.cells->cells.empty() || posting.cells->cells.back() < totals.size());
    if (stream || posting.neighbours == Neighbours::kPresence) continue;  // never more than the total
    if (several && sums.empty()) sums = totals;
    for (const std::size_t cell : posting.cells->cells) {
      const std::int64_t before = sums.empty() ? totals[cell] : sums[cell];
      if (before > PlainUnits::kMax - posting.amount) return Wrong(entry, kTooMuch);
      if (!sums.empty()) sums[cell] += posting.amount;
    }
  }
  if (!TellsOfBoth(entry, totals.size())) return Wrong(entry, kUnlawful);
  if (auto wrong = CheckGaussian(entry)) return wrong;
  if (accounts) one_sided = std::move(*accounts);
  if (allowances) analysts = std::move(*allowances);
  for (const Posting& posting : entry.postings) AddPosting(entry, posting);
  if (gaussian) gaussian->pure = gaussian->pure && IsPureToo(entry);
  if (entry.carried) carried = by_cell = true;
  charges = entry.number;
  policy = entry.policy;
  return std::nullopt;
}

void View::NoteCells(const Posting& posting) {
  if (posting.account != kPlain || posting.amount == 0 || !posting.cells->known) return;
  const std::size_t cells = posting.cells->cells.size();
  if (cells > 0 && cells < totals.size()) uneven = by_cell = true;
}

void View::AddPosting(const Entry& entry, const Posting& posting) {
  NoteCells(posting);
  if (gaussian && CountsAgainstCaps(posting)) {
    AddGaussian(posting);
    return;
  }
  if (!Understood(posting)) {
    // What an analyst has used of an allowance is in the plain postings as well.
    const bool allowance = posting.analyst();
    Close(entry, allowance ? "counts for an analyst's allowance" : "charges a loss of another kind", !allowance);
    return;
  }
  if (posting.account != kPlain) return;
  Sums::Add(posting);
  recent_.Add(posting);
  const bool content = posting.neighbours != Neighbours::kPresence;
  charged = charged || (content && posting.amount > 0 && !posting.cells->cells.empty());
}

std::optional<std::string> View::AddVersion(const Entry& entry) {
  if (entry.number != data.number + 1) return Wrong(entry, "is not the next replacement of the data");
  if (!entry.merged) {
    CloseData();
    apart = apart || charged;
  } else if (!Merge()) {
    return Wrong(entry, kTooMuch);
  }
  data = {entry.number, std::string(entry.subject), std::string(entry.answer_key)};
  return std::nullopt;
}

void Sums::Add(const Posting& posting) {
  const auto add = [&](std::vector<std::int64_t>& all) {
    for (const std::size_t cell : posting.cells->cells)
      all[cell] = std::min(all[cell] + posting.amount, PlainUnits::kMax);
  };
  if (posting.neighbours != Neighbours::kContent) add(presence);
  if (posting.neighbours == Neighbours::kPresence) return;
  add(totals);
  if (posting.covers == Covers::kAny) add(any);
  if (posting.level == Level::kHousehold) add(household);
}

Sums Sums::Under(const CellMap& to, bool& within) const {
  std::vector<std::int64_t> moves = totals, persons = any;
  for (std::size_t cell = 0; cell < totals.size(); ++cell) {
    moves[cell] -= any[cell];
    persons[cell] -= household[cell];
  }
  Sums next;
  next.totals = to.Largest(moves);
  next.any = to.Largest(persons);
  next.household = to.Largest(household);
  next.presence = to.Largest(presence);
  for (std::size_t cell = 0; cell < next.totals.size(); ++cell) {
    next.any[cell] += next.household[cell];
    next.totals[cell] += next.any[cell];
    within = within && next.totals[cell] <= PlainUnits::kMax;
    next.totals[cell] = std::min(next.totals[cell], PlainUnits::kMax);
  }
  return next;
}

bool View::ChargedInVersion() const {
  const auto some = [](const std::vector<std::int64_t>& all) {
    return std::any_of(all.begin(), all.end(), [](std::int64_t amount) { return amount > 0; });
  };
  return some(recent_.totals) || some(recent_.presence) || some(recent_mu_) || some(recent_delta_);
}

// Ensures [GROWTH-3]: no earlier total is left out, because every combination of values comes from at least one.
std::optional<std::string> View::AddGeneration(const Entry& entry, const Generation& read) {
  if (Sha256(entry.text) != entry.digest) return Wrong(entry, "does not match the digest of its text");
  auto next = CellMap::Make(columns, read.columns, read.origins);
  if (!next) return Wrong(entry, "does not say where the totals of its cells come from");
  if (entry.number == 1 && read.columns != columns) return Wrong(entry, "is the first generation and has other cells");
  auto grown = std::make_shared<const CellMap>(std::move(*next));
  if (!Regroup(*grown)) return Wrong(entry, kTooMuch);
  columns = read.columns;
  generation = entry.number;
  policy_of = std::make_shared<const Generation>(read);
  map = std::move(grown);
  return std::nullopt;
}

bool View::Regroup(const CellMap& to) {
  bool within = true;
  Sums next = Under(to, within), next_recent = recent_.Under(to, within);
  if (!within && !stream) return false;
  static_cast<Sums&>(*this) = std::move(next);
  recent_ = std::move(next_recent);
  if (gaussian) Regroup(to, *gaussian);
  return true;
}

// Merging takes the largest of each part separately: then any + distance * (total - any) bounds every unit's
// loss, and size * (total - household) + household that of every household.
void View::CloseData() {
  constexpr std::int64_t kBeyond = 2 * PlainUnits::kMax;  // no sum that was limited here can pass for a valid one
  Worst most;
  for (std::size_t cell = 0; cell < recent_.totals.size(); ++cell) {
    most.move = std::max(most.move, recent_.totals[cell] - recent_.any[cell]);
    most.any = std::max(most.any, recent_.any[cell] - recent_.household[cell]);
    most.household = std::max(most.household, recent_.household[cell]);
    most.presence = std::max(most.presence, recent_.presence[cell]);
  }
  for (const auto part : {&Worst::move, &Worst::any, &Worst::household, &Worst::presence})
    worst_.*part = std::min(worst_.*part + most.*part, kBeyond);
  CloseGaussian();
  recent_ = Sums(recent_.totals.size());
}

bool View::Merge() {
  View merged = *this;
  merged.CloseData();
  if (!stream && merged.worst_.total() > PlainUnits::kMax) return false;
  *this = std::move(merged);
  const auto fill = [](std::vector<std::int64_t>& all, std::int64_t sum) {
    std::fill(all.begin(), all.end(), std::min(sum, PlainUnits::kMax));
  };
  fill(totals, worst_.total());
  fill(any, worst_.any + worst_.household);
  fill(household, worst_.household);
  fill(presence, worst_.presence);
  if (gaussian) MergeGaussian(*gaussian);
  moved = moved || charged;
  apart = uneven = false;
  return true;
}

}  // namespace kith::ledger
