// Gradients summed over processes while backward still computes others.
//
// Buckets are ranges of the flat gradients of some MB, the last parameters first, as backward
// reaches them. A bucket is on its way when all its parameters have their gradients and all buckets
// before it are on their way, so that every process sends them in the same order.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "training/distributed/process_group.h"
#include "training/optimization/optimizer.h"

namespace dietmt::training {

/// The parameters of a model that require gradients as parts of one vector, and so their gradients:
/// what goes over a network is then a range of it, and each process can own an equal share.
class FlatParameters {
 public:
  /// Moves the parameters' data into the vector; the tensors of the model stay what they are.
  /// `parts`: into how many equal parts the vector can be cut.
  FlatParameters(torch::nn::Module& model, int64_t parts);

  /// In the order of named_parameters().
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  const std::vector<Slice>& places() const { return places_; }

  const at::Tensor& weights() const { return weights_; }      // [N]
  const at::Tensor& gradients() const { return gradients_; }  // [N], zero between parameters
  /// The place of a parameter's gradient, in its shape.
  at::Tensor gradient(size_t parameter) const;

  /// One of the equal parts of the vector.
  Slice part(int64_t index) const;
  /// What of each parameter, seen as a vector, lies in that part.
  std::vector<Slice> slices_in(int64_t part) const;

 private:
  int64_t parts_;
  std::vector<at::Tensor> parameters_;
  std::vector<Slice> places_;
  at::Tensor weights_;
  at::Tensor gradients_;
};

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

  /// Gradients travel as numbers of type `wire`. What is passed outlives this.
  GradientBuckets(const FlatParameters& flat, ProcessGroup& group, at::ScalarType wire = at::kFloat,
                  int64_t elements = kElements);
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
  // Replaces `values` by their sum when the returned function is called.
  std::function<void()> start_sum(const at::Tensor& values);
  void send(size_t bucket);

  const FlatParameters& flat_;
  ProcessGroup& group_;
  at::ScalarType wire_;
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
