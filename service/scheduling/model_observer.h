// Reports a model's events to the metrics. Several threads call it at once, some while holding the
// queue's lock, so implementations must not block.
#pragma once

#include <cstdint>

namespace dietmt::service {

class ModelObserver {
 public:
  virtual ~ModelObserver() = default;

  /// A worker took sentences. `fill`: source tokens being decoded divided by the capacity of all
  /// workers.
  virtual void taken(int64_t sentences, double fill) = 0;

  /// One sentence is done.
  virtual void translated(int64_t source_tokens, int64_t target_tokens) = 0;

  /// The model was loaded, or failed to load.
  virtual void loaded(double seconds) = 0;
  virtual void load_failed() = 0;

  /// The model was unloaded, because nobody used it or to make room for another.
  virtual void unloaded() = 0;
};

}  // namespace dietmt::service
