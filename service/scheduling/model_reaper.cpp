#include "service/scheduling/model_reaper.h"

#include <utility>

#include "common/memory_use.h"

namespace dietmt::service {

ModelReaper::ModelReaper(std::function<void(int64_t)> freed)
    : freed_(std::move(freed)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::shared_ptr<ServedModel> ModelReaper::own(std::unique_ptr<ServedModel> model, int64_t bytes) {
  return {model.release(), [this, bytes](ServedModel* dropped) {
            const std::lock_guard lock(mutex_);
            dead_.push_back({std::unique_ptr<ServedModel>(dropped), bytes});
            changed_.notify_one();
          }};
}

void ModelReaper::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !dead_.empty(); })) {
    std::vector<Dead> dead = std::exchange(dead_, {});
    lock.unlock();
    for (Dead& one : dead) {
      one.model.reset();
      return_free_memory();
      freed_(one.bytes);
    }
    lock.lock();
  }
}

}  // namespace dietmt::service
