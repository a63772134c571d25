// kith_blind: as kith, for one command line; or, with --serve, for one after the other that standard input names, each
// in a separate child. Starting a process takes longer than most questions.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "app/cli/main.h"
#include "engine/duckdb/library.h"

namespace {

/// "length:bytes"; false at the end of the input.
bool ReadField(std::string& field) {
  std::size_t length = 0;
  if (!(std::cin >> length) || std::cin.get() != ':') return false;
  field.resize(length);
  return static_cast<bool>(std::cin.read(field.data(), static_cast<std::streamsize>(length)));
}

/// The number of fields, a blank, and the fields: the folder, the files for stdout and stderr, the arguments.
bool ReadRequest(std::vector<std::string>& request) {
  std::size_t count = 0;
  if (!(std::cin >> count) || std::cin.get() != ' ' || count < 3) return false;
  request.resize(count);
  for (std::string& field : request) {
    if (!ReadField(field)) return false;
  }
  return true;
}

void Redirect(const std::string& file, int to) {
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (out < 0 || dup2(out, to) < 0) std::_Exit(120);
  close(out);
}

[[noreturn]] void Run(std::vector<std::string>& request) {
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, 0) < 0) std::_Exit(120);
  close(nothing);
  Redirect(request[1], 1);
  Redirect(request[2], 2);
  if (chdir(request[0].c_str()) != 0) std::_Exit(120);
  request[2] = "kith";
  std::vector<char*> arguments;
  for (std::size_t i = 2; i < request.size(); ++i) arguments.push_back(request[i].data());
  arguments.push_back(nullptr);
  std::exit(kith::cli::Main(static_cast<int>(arguments.size()) - 1, arguments.data()));
}

int Serve() {
  static_cast<void>(kith::duckdb_library.Load());  // once here, instead of in every child
  std::vector<std::string> request;
  while (ReadRequest(request)) {
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) Run(request);
    int status = 0;
    if (waitpid(child, &status, 0) != child) return 1;
    std::printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--serve") return Serve();
  return kith::cli::Main(argc, argv);
}
