#include "server/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>

namespace kith::server {
namespace {

TEST(WorkersTest, EverythingIsDoneOnceBeforeTheyEnd) {
  std::atomic<int> done = 0;
  {
    Workers workers(8);
    for (int k = 0; k < 1000; ++k) workers.Post([&done] { ++done; });
  }
  EXPECT_EQ(done, 1000);
}

TEST(WorkersTest, AsManyWorkAtATimeAsThereAre) {
  constexpr int kThreads = 5;
  Workers workers(kThreads);
  std::promise<void> go;
  const std::shared_future<void> gone(go.get_future());
  std::atomic<int> begun = 0, done = 0;
  for (int k = 0; k < 3 * kThreads; ++k) {
    workers.Post([&begun, &done, gone] {
      ++begun;
      gone.wait();
      ++done;
    });
  }
  while (begun < kThreads) std::this_thread::yield();
  EXPECT_EQ(done, 0);
  go.set_value();
  workers.Join();
  EXPECT_EQ(done, 3 * kThreads);
}

TEST(WorkersTest, WhatWorkHoldsEndsWithIt) {
  Workers workers(2);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  workers.Post([held = std::move(held)] { (void)*held; });
  workers.Join();
  EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace kith::server
