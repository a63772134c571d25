#include "engine/trino/login.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "engine/trino/failure.h"

namespace kith::trino {

namespace {

std::string Environment(const std::string& name) {
  const char* text = std::getenv(name.c_str());
  return text == nullptr ? "" : text;
}

/// The variable, or the first line of the file that the variable with _FILE names.
Result<std::string> Secret(const std::string& name) {
  std::string secret = Environment(name);
  const std::string file = Environment(name + "_FILE");
  if (!secret.empty() || file.empty()) return secret;
  struct stat about = {};
  if (::stat(file.c_str(), &about) != 0) return StorageError("the file with the secret cannot be read", name + "_FILE");
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return InvalidArgument("others can read the file with the secret", name + "_FILE",
                           "take their rights away (mode 0600)");
  }
  std::ifstream stream(file);
  if (!std::getline(stream, secret) || secret.empty())
    return StorageError("the file with the secret cannot be read, or is empty", name + "_FILE");
  if (secret.back() == '\r') secret.pop_back();
  return secret;
}

}  // namespace

Result<Server> LoginOf(const kith::Server& server) {
  Server login;
  login.url = server.port == 0 ? server.host : fmt::format("{}:{}", server.host, server.port);
  login.user = server.user;
  auto password = Secret("KITH_TRINO_PASSWORD");
  if (!password) return password.error();
  auto token = Secret("KITH_TRINO_TOKEN");
  if (!token) return token.error();
  if (!password->empty() && !token->empty()) {
    return InvalidArgument("the environment has both a password and a token for Trino", "KITH_TRINO_PASSWORD",
                           "keep one of them");
  }
  if ((!password->empty() || !token->empty()) && !login.url.starts_with("https://"))
    return BeforeData({Failure::Kind::kRefused, "a secret needs HTTPS"}, server.Text());
  login.password = *std::move(password);
  login.token = *std::move(token);
  login.certificates = Environment("KITH_TRINO_CERTIFICATES");
  return login;
}

}  // namespace kith::trino
