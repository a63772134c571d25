// What the values of release.h and request.h can do by themselves: once here, instead of in every file that has one.
#include "release/release.h"

namespace kith {

std::optional<double> PresenceOf(const Certificate& certificate) {
  if (!certificate.guarantee.plain_presence || certificate.sides == Sides::kOne || certificate.guarantee.CountsDelta())
    return std::nullopt;
  return certificate.plain_presence.value_or(certificate.plain_epsilon);
}

bool Price::none() const { return !epsilon && !error_95 && split.empty(); }

AnalysisRequest Borrowed(const Analysis& analysis) { return {{std::shared_ptr<const void>(), &analysis}}; }

StudyRequest Borrowed(const Study& study) { return {{std::shared_ptr<const void>(), &study}}; }

}  // namespace kith
