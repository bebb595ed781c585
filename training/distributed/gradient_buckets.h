// Sums gradients over processes while backward is still computing others.
//
// Buckets are ranges of a few MB of the flat gradients, starting with the last parameters, which
// backward reaches first. A bucket is sent once all its parameters have gradients and all earlier
// buckets have been sent, so that every process sends them in the same order.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "training/distributed/process_group.h"
#include "training/optimization/optimizer.h"

namespace dietmt::training {

/// A model's trainable parameters as parts of one vector, and their gradients likewise, so that a
/// network transfer is a range of it and each process can own an equal share.
class FlatParameters {
 public:
  /// Moves the parameters' data into the vector; the model's tensors stay the same objects.
  /// `parts`: the number of equal parts that the vector must divide into.
  FlatParameters(torch::nn::Module& model, int64_t parts);

  /// In the order of named_parameters().
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  const std::vector<Slice>& places() const { return places_; }

  const at::Tensor& weights() const { return weights_; }      // [N]
  const at::Tensor& gradients() const { return gradients_; }  // [N], zero between parameters
  /// A view of the parameter's gradient, in its shape.
  at::Tensor gradient(size_t parameter) const;

  /// One of the equal parts of the vector.
  Slice part(int64_t index) const;
  /// The slice of each parameter, seen as a vector, that lies in that part.
  std::vector<Slice> slices_in(int64_t part) const;

 private:
  int64_t parts_;
  std::vector<at::Tensor> parameters_;
  std::vector<Slice> places_;
  at::Tensor weights_;
  at::Tensor gradients_;
};

/// Parameters first .. last of one bucket; their gradients are the elements `range`.
struct Bucket {
  size_t first = 0;
  size_t last = 0;
  Slice range;
};

/// Puts each parameter in one bucket, the last ones in the first bucket. A bucket is closed once it
/// holds `elements` or more.
std::vector<Bucket> plan_buckets(const FlatParameters& flat, int64_t elements);

/// When the gradients of an update's last backward pass are sent: those of a replayed graph are
/// there only at its end.
enum class Sending { kWhileComputed, kAfterwards };

class GradientBuckets {
 public:
  static constexpr int64_t kElements = 1 << 20;  // 4 MB

  /// `wire`: the type in which gradients are exchanged. The arguments must outlive this.
  GradientBuckets(const FlatParameters& flat, ProcessGroup& group, at::ScalarType wire = at::kFloat,
                  int64_t elements = kElements);
  ~GradientBuckets();
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  /// Call it before the last backward pass of an update. The processes may choose differently. In
  /// the first pass during which gradients would be sent they are only counted: nested backward
  /// passes may deliver a parameter's gradient in several parts, and it is complete with the last
  /// one.
  void begin(Sending sending);

  /// Sends the rest, with zeros for parameters without a gradient, and waits until everything is
  /// summed in the flat gradients. The parameters' gradients are then views of those. Returns for
  /// each parameter whether this process had a gradient.
  std::vector<bool> finish();

 private:
  struct Progress {
    int64_t missing = 0;  // parameters
    std::function<void()> wait;
  };
  class Hook;

  void arrived(size_t parameter);
  // Replaces `values` by their sum over processes when the returned function is called.
  std::function<void()> start_sum(const at::Tensor& values);
  void send(size_t bucket);

  const FlatParameters& flat_;
  ProcessGroup& group_;
  at::ScalarType wire_;
  std::vector<Bucket> buckets_;
  std::vector<size_t> bucket_of_;  // of each parameter
  std::vector<int64_t> parts_;     // in which a parameter's gradient arrives; 0: unknown
  bool active_ = false;
  // State of the current update:
  std::vector<int64_t> arrived_;  // parts
  std::vector<Progress> progress_;
  std::vector<bool> had_gradient_;
  size_t sent_ = 0;  // buckets
};

}  // namespace dietmt::training
