// Frees models in a separate thread, since their decoders must stop first and the memory goes back
// to the system. A thread that drops the last reference, under any lock, does not wait for that.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "service/scheduling/served_model.h"

namespace dietmt::service {

class ModelReaper {
 public:
  /// `freed`: called in the reaper's thread with the bytes of each model that it has freed.
  explicit ModelReaper(std::function<void(int64_t)> freed);

  /// Frees what is left. All models that it owns must have been dropped.
  ~ModelReaper() = default;

  /// Passes the model on to the reaper when the last reference is dropped.
  std::shared_ptr<ServedModel> own(std::unique_ptr<ServedModel> model, int64_t bytes);

 private:
  struct Dead {
    std::unique_ptr<ServedModel> model;
    int64_t bytes;
  };

  void run(const std::stop_token& stop);

  const std::function<void(int64_t)> freed_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Dead> dead_;
  std::jthread thread_;
};

}  // namespace dietmt::service
