#include "base/json.h"
#include "document/from_json.h"
#include "document/reading.h"
#include "document/to_json.h"
#include "release/answer_json.h"
#include "release/guarantee_json.h"

namespace kith::document {

Json ToJson(const Guarantee& guarantee) { return GuaranteeToJson(guarantee); }

Result<Guarantee> GuaranteeFrom(const Json& in) { return ReadDocument("a guarantee", in, GuaranteeFromJson); }

Json ToJson(const Certificate& certificate) {
  Json out;
  PutCertificate(certificate, out);
  return out;
}

Json ToJson(const Answer& answer) { return AnswerValue(answer); }

Result<Certificate> CertificateFrom(const Json& in) {
  return ReadDocument("a certificate", in, [](const Json& whole) { return kith::CertificateFrom(whole); });
}

Result<Answer> AnswerFrom(const Json& in) {
  return ReadDocument("an answer", in, [](const Json& whole) { return AnswerOf(whole); });
}

}  // namespace kith::document
