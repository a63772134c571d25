#include "random/bits.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <sys/mman.h>

namespace kith {
namespace {

// The buffer of this thread, for the fork handler: it runs in the child's only thread.
struct Mine {
  void* pool = nullptr;
  std::size_t size = 0;
};
thread_local constinit Mine mine;

void EmptyMineInChild() {
  if (mine.pool != nullptr) OPENSSL_cleanse(mine.pool, mine.size);
}

void WatchForks() {
  static const int watching = pthread_atfork(nullptr, nullptr, EmptyMineInChild);
  KITH_CHECK(watching == 0);
}

}  // namespace

SystemBits& SystemBits::ForThisThread() {
  thread_local SystemBits bits;
  return bits;
}

SystemBits::SystemBits() : owner_(pthread_self()) {
  WatchForks();
  void* const pages = mmap(nullptr, sizeof(Pool), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  KITH_CHECK(pages != MAP_FAILED);
  // Best effort, because kernels differ: the fork handler backs up the first, nothing needs the second.
  (void)madvise(pages, sizeof(Pool), MADV_WIPEONFORK);
  (void)madvise(pages, sizeof(Pool), MADV_DONTDUMP);
  pool_ = static_cast<Pool*>(pages);
  mine = {pages, sizeof(Pool)};
}

SystemBits::~SystemBits() {
  mine = {};
  OPENSSL_cleanse(pool_, sizeof(Pool));
  munmap(pool_, sizeof(Pool));
}

void SystemBits::Refill() {
  KITH_CHECK(pthread_equal(owner_, pthread_self()) != 0);
  KITH_CHECK(RAND_priv_bytes(pool_->bytes, static_cast<int>(kPoolBytes)) == 1);
  pool_->left = kPoolBytes;
}

}  // namespace kith
