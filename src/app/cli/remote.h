// The same verbs, asked of a server (kith --server URL): requests go out, the documents that come back are shown by the
// same code as local ones.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/commands.h"
#include "base/call.h"
#include "base/json.h"
#include "base/result.h"

namespace kith::cli {

/// Where a server is, and who asks it. KITH_TOKEN has the token, or the file that KITH_TOKEN_FILE names and that nobody
/// else can read; KITH_CERTIFICATES names a file of certificates to trust instead of the system's.
struct Remote {
  std::string url, token, certificates;
};
/// Fails: kInvalidArgument (not an address; a token that would travel without TLS to another machine), kStorage.
Result<Remote> RemoteAt(const std::string& url);

/// The document that the server answers with, as text. A refusal is an error as on the command line.
Result<std::string> Fetch(const Remote& remote, const std::string& method, const std::string& path,
                          const std::string& body, const CancelFlag& cancel);

/// Of a dataset: /v1/datasets/NAME/part. `name`: also as the file of its policy. An empty body: GET.
Result<Json> AskServer(const Context& context, const std::string& name, const std::string& part, const Json& body);
/// The budget with the whole history, which the server gives a page at a time: the document of the command line.
Result<Json> AskServerForBudget(const Context& context, const std::string& name);
/// The same for what the server does as a job: waits until it has ended, then returns its result.
Result<Json> AskServerToWork(const Context& context, const std::string& name, const std::string& part, const Json& body,
                             const Call& call);

/// As `read` of the document, or as it is: {"answer": ...} to what a verb shows.
template <class Read>
auto ReadFrom(const Result<Json>& document, Read read) -> decltype(read(*document)) {
  if (!document) return document.error();
  return read(*document);
}

/// --approval: for questions and plans that a server left to a curator.
inline constexpr std::string_view kApprovalHelp =
    "With --server: the number under which a curator granted this very question at this very price";
/// Without a server, nobody approves anything.
std::optional<Error> NobodyApproves(const std::optional<std::uint64_t>& approval, const Context& context);

/// A document as it came, for a program; the exit code, as if it had been made here.
int ShowDocument(const Result<Json>& document);

}  // namespace kith::cli
