// The operating system's bits: wiped, not shared with children or threads, and never weak.
#include "random/bits.h"

#include <gtest/gtest.h>
#include <openssl/rand.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <set>
#include <thread>
#include <vector>

namespace kith {

class SystemBitsPeer {
 public:
  explicit SystemBitsPeer(SystemBits& bits) : pool_(*bits.pool_) {}
  std::uint64_t left() const { return pool_.left; }
  std::uint64_t size() const { return SystemBits::kPoolBytes; }
  unsigned char byte(std::uint64_t i) const { return pool_.bytes[i]; }
  /// Whether the kernel took the advice (MADV_KEEPONFORK, MADV_WIPEONFORK) for the buffer.
  bool Advise(int advice) const { return madvise(&pool_, sizeof pool_, advice) == 0; }

 private:
  SystemBits::Pool& pool_;
};

namespace {

using Words = std::array<std::uint64_t, 8>;

Words Draw(BitSource& bits) {
  Words words;
  for (std::uint64_t& word : words) word = bits.Bits(64);
  return words;
}

/// What a child started by `start` draws first.
template <class Start>
Words DrawInChild(BitSource& bits, Start start) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const auto child = static_cast<pid_t>(start());
  if (child == 0) {
    const Words words = Draw(bits);
    _exit(write(ends[1], words.data(), sizeof words) == sizeof words ? 0 : 1);
  }
  close(ends[1]);
  Words words{};
  EXPECT_EQ(read(ends[0], words.data(), sizeof words), static_cast<ssize_t>(sizeof words));
  close(ends[0]);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return words;
}

/// How many of parent, first child and second child draw what another of them draws.
template <class Start>
int Repeats(BitSource& bits, Start start) {
  Draw(bits);  // so that there is something to inherit
  const Words first = DrawInChild(bits, start);
  const Words second = DrawInChild(bits, start);
  const Words mine = Draw(bits);
  return static_cast<int>(3 - std::set<Words>{first, second, mine}.size());
}

TEST(SystemBits, StayWithinTheirWidth) {
  SystemBits& bits = SystemBits::ForThisThread();
  for (int count = 1; count <= 64; ++count) {
    std::uint64_t seen = 0;
    for (int i = 0; i < 200; ++i) seen |= bits.Bits(count);
    EXPECT_EQ(seen, ~std::uint64_t{0} >> (64 - count)) << count;  // each bit missed with probability 2^-200
  }
}

TEST(SystemBits, RefuseOtherWidths) {
  SystemBits& bits = SystemBits::ForThisThread();
  EXPECT_DEATH(bits.Bits(0), "count");
  EXPECT_DEATH(bits.Bits(65), "count");
  EXPECT_DEATH(Below(0, bits), "n >= 1");
  EXPECT_DEATH(Chance(2, 1, bits), "n <= d");
}

TEST(SystemBits, WipeWhatWasHandedOut_RAND2) {
  SystemBits& bits = SystemBits::ForThisThread();
  const SystemBitsPeer peer(bits);
  for (int round = 0; round < 5000; ++round) bits.Bits(1 + round % 64);  // through several refills
  while (peer.left() < 1000) bits.Bits(64);
  bits.Bits(64);
  bits.Bits(3);
  bits.Bits(29);
  for (std::uint64_t i = 0; i < peer.size() - peer.left(); ++i) ASSERT_EQ(peer.byte(i), 0) << i;
  int zeros = 0;
  for (std::uint64_t i = peer.size() - peer.left(); i < peer.size(); ++i) zeros += peer.byte(i) == 0 ? 1 : 0;
  EXPECT_LT(zeros, 100) << "bytes that are still to come must not be wiped";
}

TEST(SystemBits, UseNoMoreBytesThanTheyNeed) {
  SystemBits& bits = SystemBits::ForThisThread();
  const SystemBitsPeer peer(bits);
  while (peer.left() < 100) bits.Bits(64);
  for (const int count : {1, 8, 9, 33, 63, 64}) {
    const std::uint64_t before = peer.left();
    bits.Bits(count);
    EXPECT_EQ(before - peer.left(), static_cast<std::uint64_t>(count + 7) / 8);
  }
}

TEST(SystemBits, NeverRepeatAcrossRefills) {
  SystemBits& bits = SystemBits::ForThisThread();
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 50000; ++i) EXPECT_TRUE(seen.insert(bits.Bits(64)).second);  // by chance: below 2^-33
}

TEST(SystemBits, AChildDrawsOtherBitsThanItsParent_RAND2) { EXPECT_EQ(Repeats(SystemBits::ForThisThread(), fork), 0); }

TEST(SystemBits, TheForkHandlerAloneIsEnough_RAND2) {
  SystemBits& bits = SystemBits::ForThisThread();
  const SystemBitsPeer peer(bits);
  (void)peer.Advise(MADV_KEEPONFORK);  // fails only where the kernel does not wipe anyway
  EXPECT_EQ(Repeats(bits, fork), 0);
  (void)peer.Advise(MADV_WIPEONFORK);
}

TEST(SystemBits, TheKernelAloneIsEnough_RAND2) {
  SystemBits& bits = SystemBits::ForThisThread();
  if (!SystemBitsPeer(bits).Advise(MADV_WIPEONFORK)) GTEST_SKIP() << "this kernel cannot wipe pages on fork";
  const auto unseen_by_handlers = [] { return syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr); };
  EXPECT_EQ(Repeats(bits, unseen_by_handlers), 0);
}

TEST(SystemBits, TheChecksAboveSeeABufferThatIsInherited) {
  class Inherited final : public BitSource {
   public:
    Inherited() {
      for (std::uint64_t& word : buffer_) word = SystemBits::ForThisThread().Bits(64);
    }
    std::uint64_t Bits(int count) override { return buffer_.at(next_++) >> (64 - count); }

   private:
    std::array<std::uint64_t, 100> buffer_{};
    std::size_t next_ = 0;
  };
  Inherited inherited;
  EXPECT_EQ(Repeats(inherited, fork), 2);
}

TEST(SystemBits, EachThreadHasItsOwn_RAND2) {
  constexpr int kThreads = 8;
  std::vector<Words> drawn(kThreads);
  std::vector<SystemBits*> sources(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      sources[i] = &SystemBits::ForThisThread();
      for (int round = 0; round < 10000; ++round) drawn[i] = Draw(SystemBits::ForThisThread());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<Words>(drawn.begin(), drawn.end()).size(), static_cast<std::size_t>(kThreads));
}

TEST(SystemBits, AnotherThreadsSourceIsNoticed) {
  SystemBits& mine = SystemBits::ForThisThread();
  EXPECT_DEATH(
      {
        std::thread thief([&] {
          for (int i = 0; i < 5000; ++i) mine.Bits(64);  // more than one buffer
        });
        thief.join();
      },
      "owner_");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
int NoBytes(unsigned char*, int) { return 0; }

TEST(SystemBits, AFailingGeneratorEndsTheProcess_RAND2) {
  EXPECT_DEATH(
      {
        static RAND_METHOD broken{};
        broken.bytes = NoBytes;
        RAND_set_rand_method(&broken);
        for (int i = 0; i < 5000; ++i) SystemBits::ForThisThread().Bits(64);
      },
      "RAND_priv_bytes");
}
#pragma GCC diagnostic pop

}  // namespace
}  // namespace kith
