// Processes that start together and report numbers to their parent.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace kith::ledger {

/// A pipe that children write whole numbers to.
class Wire {
 public:
  Wire() { EXPECT_EQ(pipe(ends_), 0); }
  ~Wire() {
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  void Say(std::int64_t number) const {
    if (write(ends_[1], &number, sizeof number) != sizeof number) _exit(90);
  }
  std::int64_t Hear() const {
    std::int64_t number = 0;
    return read(ends_[0], &number, sizeof number) == sizeof number ? number : -1;
  }
  // All that was reported, once no child is left to report more.
  std::vector<std::int64_t> HearAll() {
    close(ends_[1]);
    ends_[1] = -1;
    std::vector<std::int64_t> all;
    for (std::int64_t number = 0; read(ends_[0], &number, sizeof number) == sizeof number;) all.push_back(number);
    return all;
  }

 private:
  int ends_[2] = {-1, -1};
};

/// Runs `body` in that many processes at once; they start together.
inline void Together(int count, const std::function<void(int)>& body) {
  Wire ready, go;
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      ready.Say(1);
      go.Hear();
      body(i);
      _exit(0);
    }
    children.push_back(child);
  }
  for (int i = 0; i < count; ++i) EXPECT_EQ(ready.Hear(), 1);
  for (int i = 0; i < count; ++i) go.Say(1);
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

}  // namespace kith::ledger
