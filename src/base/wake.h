// One thread waits until another calls it. A condition variable wakes a thread to wait for its mutex; this does not.
#pragma once
#include <semaphore.h>

namespace kith {

/// May end as soon as Wait() has returned, whatever the caller is still doing.
class Wake {
 public:
  Wake() { sem_init(&called_, 0, 0); }
  ~Wake() { sem_destroy(&called_); }
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  /// What the caller wrote before is seen by the thread that waited.
  void Call() { sem_post(&called_); }
  /// Once for each call.
  void Wait() {
    while (sem_wait(&called_) != 0) {  // a signal came
    }
  }

 private:
  sem_t called_;
};

}  // namespace kith
