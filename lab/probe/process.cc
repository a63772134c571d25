#include "probe/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

extern char** environ;

namespace kith::probe {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostOutput = std::size_t{64} << 20;
constexpr std::size_t kMostErrors = std::size_t{64} << 10;

// A pipe whose ends close by themselves and do not leak into other children.
struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  }
  ~Pipe() {
    Close(0);
    Close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void Close(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

// Appends what can be read now; false at the end of the stream.
bool Take(Pipe& pipe, std::string& text, std::size_t most) {
  char buffer[1 << 16];
  const ssize_t got = read(pipe.ends[0], buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  text.append(buffer, std::min(static_cast<std::size_t>(got), most - std::min(most, text.size())));
  return true;
}

// Reads both streams to their ends. False if the time is up or somebody asked to stop.
bool ReadAll(Pipe& out, Pipe& err, Finished& finished, Clock::time_point limit, const CancelFlag& cancel) {
  bool out_open = true, err_open = true;
  while (out_open || err_open) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit - Clock::now()).count();
    if (left <= 0 || cancel.cancelled()) return false;
    pollfd wait[2] = {{out_open ? out.ends[0] : -1, POLLIN, 0}, {err_open ? err.ends[0] : -1, POLLIN, 0}};
    if (poll(wait, 2, static_cast<int>(std::min<long long>(left, 200))) < 0 && errno != EINTR) return false;
    if (wait[0].revents != 0) out_open = Take(out, finished.output, kMostOutput);
    if (wait[1].revents != 0) err_open = Take(err, finished.errors, kMostErrors);
  }
  return true;
}

Result<pid_t> Start(const std::vector<std::string>& words, const Pipe& out, const Pipe& err) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT || failed == EACCES)
    return InvalidArgument("there is no such program, or it may not be run", words[0].substr(0, 60),
                           "check its name; a built-in of the shell needs the shell")
        .For("probe.shell");
  if (failed != 0) return StorageError("the program cannot be started", words[0].substr(0, 60), std::strerror(failed));
  return pid;
}

}  // namespace

Result<Finished> RunProgram(const std::vector<std::string>& words, double seconds, const CancelFlag& cancel) {
  Pipe out, err;
  if (out.ends[0] < 0 || err.ends[0] < 0) return StorageError("no pipe can be opened", "", "close some programs");
  const auto limit = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const auto pid = Start(words, out, err);
  if (!pid) return pid.error();
  out.Close(1);
  err.Close(1);
  Finished finished;
  if (!ReadAll(out, err, finished, limit, cancel)) {
    finished.timed_out = true;
    kill(-*pid, SIGKILL);
  }
  // A program may close its streams and go on: wait no longer than the limit.
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(*pid, &status, finished.timed_out ? 0 : WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (Clock::now() >= limit || cancel.cancelled()) {
      finished.timed_out = true;
      kill(-*pid, SIGKILL);
    } else if (ended == 0) {
      usleep(200);
    }
  }
  if (cancel.cancelled()) return Cancelled("the probe was stopped");
  finished.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return finished;
}

}  // namespace kith::probe
