
#include "base/json.h"
#include "document/codes.h"
#include "document/from_json.h"
#include "document/to_json.h"

namespace kith::document {

Json ToJson(const Error& error) {
  Json out = {{"code", NameOf(error.code)},
              {"what", error.what},
              {"where", error.where},
              {"hint", error.next},
              {"charged", NameOf(error.charged)}};
  if (!error.parameter.empty()) out["parameter"] = error.parameter;
  return {{"error", std::move(out)}};
}

std::optional<Error> ErrorFrom(const Json& in) {
  try {
    const Json& e = in.at("error");
    const auto code = CodeNamed(e.at("code").get<std::string>());
    return Error{code.value_or(Code::kInternal), e.at("what"), e.at("where"), e.at("hint"),
                 e.value("parameter", std::string())}
        .That(ChargedNamed(e.value("charged", std::string())));
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

}  // namespace kith::document
