// Gradients summed over processes while backward still computes others.
//
// Buckets are ranges of the flat gradients of some MB, the last parameters first, as backward
// reaches them. A bucket is on its way when all its parameters have their gradients and all buckets
// before it are on their way, so that every process sends them in the same order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "training/distributed/flat_parameters.h"
#include "training/distributed/process_group.h"

namespace dietmt::training {

/// Parameters first .. last of one bucket, whose gradients are the elements `range`.
struct Bucket {
  size_t first = 0;
  size_t last = 0;
  Slice range;
};

/// Each parameter once, the last ones in the first bucket; a bucket is closed when it holds
/// `elements` or more.
std::vector<Bucket> plan_buckets(const FlatParameters& flat, int64_t elements);

class GradientBuckets {
 public:
  static constexpr int64_t kElements = 1 << 20;  // 4 MB

  /// What is passed outlives this.
  GradientBuckets(const FlatParameters& flat, ProcessGroup& group, int64_t elements = kElements);
  ~GradientBuckets();
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  /// From now on gradients that backward has finished are sent. Call it before the last backward
  /// pass of an update. In the first update they are only counted: a parameter may receive its
  /// gradient in several parts (nested backward passes), and is complete with the last of them.
  void begin();

  /// Sends the rest, zeros for parameters without a gradient, and waits until all are summed in the
  /// flat gradients, of which the parameters' gradients are then views. Returns for each parameter
  /// whether this process had a gradient.
  std::vector<bool> finish();

 private:
  struct Progress {
    int64_t missing = 0;  // parameters
    std::function<void()> wait;
  };
  class Hook;

  void arrived(size_t parameter);
  void send(size_t bucket);

  const FlatParameters& flat_;
  ProcessGroup& group_;
  std::vector<Bucket> buckets_;
  std::vector<size_t> bucket_of_;  // each parameter
  std::vector<int64_t> parts_;     // in which a parameter's gradient arrives; 0: not known yet
  bool active_ = false;
  // Of the present update:
  std::vector<int64_t> arrived_;  // parts
  std::vector<Progress> progress_;
  std::vector<bool> had_gradient_;
  size_t sent_ = 0;  // buckets
};

}  // namespace dietmt::training
