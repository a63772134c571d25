#include "document/from_json.h"
#include "document/reading.h"
#include "document/to_json.h"
#include "release/answer_json.h"

namespace kith::document {

using nlohmann::json;

json ToJson(const Certificate& certificate) {
  json out;
  PutCertificate(certificate, out);
  return out;
}

json ToJson(const Answer& answer) { return AnswerValue(answer); }

Result<Certificate> CertificateFrom(const json& in) {
  return ReadDocument("a certificate", in, [](const json& whole) { return kith::CertificateFrom(whole); });
}

Result<Answer> AnswerFrom(const json& in) {
  return ReadDocument("an answer", in, [](const json& whole) { return AnswerOf(whole); });
}

}  // namespace kith::document
