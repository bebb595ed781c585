// How large a batch may be: the search behind --find-batch.
#pragma once

#include <cstdint>
#include <functional>

namespace dietmt::training {

/// Memory as a linear function of the tokens of a batch, fitted to measurements.
class MemoryLine {
 public:
  void add(int64_t tokens, int64_t bytes);

  /// Bytes for `tokens`; before two sizes were measured, those of the largest so far.
  int64_t predict(int64_t tokens) const;

 private:
  struct Point {
    int64_t tokens = 0;
    int64_t bytes = 0;
  };
  Point before_, last_;
};

/// The largest size from `smallest` to `largest` for which `fits` holds, to an eighth of it: sizes
/// are doubled until one does not fit, and the gap is halved three times. 0: not even the smallest.
/// `fits` is asked for no size larger than one that does not fit.
int64_t largest_fitting(int64_t smallest, int64_t largest,
                        const std::function<bool(int64_t)>& fits);

}  // namespace dietmt::training
