// What happens to a model while it serves, for measurements. Called by several threads at once,
// some of them holding a lock of the queue: implementations return at once.
#pragma once

#include <cstdint>

namespace dietmt::service {

class ModelObserver {
 public:
  virtual ~ModelObserver() = default;

  /// A worker took sentences, after which the decoder is filled to `fill` (source tokens being
  /// decoded over those that fit all workers).
  virtual void taken(int64_t sentences, double fill) = 0;

  /// One sentence is done.
  virtual void translated(int64_t source_tokens, int64_t target_tokens) = 0;

  /// The model was read from disk, or could not be.
  virtual void loaded(double seconds) = 0;
  virtual void load_failed() = 0;
};

}  // namespace dietmt::service
