// One step of a stream, from what was spent before to noisy numbers: each part is charged before the read that it pays
// for. Does not know the ledger (the caller charges), so that tests can run it 100,000 times.  Claims:
// claims/stream.md
#pragma once
#include <functional>
#include <vector>

#include "analysis/stream/shares.h"
#include "kernel/statistic_mechanism.h"
#include "kernel/vault.h"
#include "query/plan.h"

namespace kith {

enum class StepState {
  kReleased,  // fresh numbers of this step
  kRepeated,  // the numbers that were published last: this step did not differ, or publications must wait
  kSkipped,   // the window had nothing left
  kLost,      // charged, but the answer was lost in a crash or an error; nothing more can be said
};

/// What a stream's charge is for.
enum class StepPart { kRelease, kTest, kPublication, kNothing };

/// What a stream did before a step; all of it is in its ledger.
struct StreamPast {
  std::vector<stream::Spent> released;   // window - 1 steps back
  std::vector<stream::Spent> published;  // 2 window steps back, by publications of an adaptive rule
  std::int64_t first = 0;                // its first step in the window that ends with this one
  NoisyGroups last;                      // what was published last; empty before that: nothing, in every group
  std::vector<PlainUnits> last_shares;   // and the shares of its noise
};

/// Makes a charge durable, or says that the window has no room for it. A release may be granted less than it wants;
/// tests and publications get all or nothing. Requires: `wanted` above 0 unless the part is kNothing.
using ChargeStep = std::function<Result<Paid>(StepPart part, PlainUnits wanted)>;

struct StepNumbers {
  StepState state = StepState::kSkipped;
  NoisyGroups noisy;                     // empty if skipped
  std::vector<PlainUnits> shares;        // of the noise in them, one for each statistic
  std::vector<StatisticMechanism> laws;  // of that noise, if this call added it; empty if it was stored before
  PlainUnits charged;                    // for this step, all parts together
};

/// Whether the rule can be used for the statistic. Fails: kUnsupportedQuery if an adaptive rule is used with more than
/// one noisy statistic, or there is none.
Result<void> CheckStatistic(const Plan& plan, stream::Sharing sharing);

/// All that a step is released with.
struct StepWork {
  const stream::Terms& terms;
  const CheckedPlan& checked;  // reads only the rows of this step
  const StreamPast& past;
  std::int64_t tick = 0;
  const Vault& vault;
  const ChargeStep& charge;

  const Plan& plan() const { return checked.plan(); }
};

/// The least that a release gets: a hundredth of an even share of the window. Less than that buys nothing but noise,
/// and the step is skipped.
PlainUnits LeastOfUse(const stream::Terms& terms);

/// Ensures [STREAM-6]: given the past, the numbers and what is charged have plain loss at most what was charged, and
/// depend on no data but those of this step.
/// Fails: as `charge` and as the engine; what was charged stays charged.
Result<StepNumbers> ReleaseStep(const StepWork& work);

}  // namespace kith
