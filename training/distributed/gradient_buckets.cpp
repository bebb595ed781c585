#include "training/distributed/gradient_buckets.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "common/error.h"

namespace dietmt::training {
namespace {

using at::Tensor;

// Parameters start on cache lines, as separate tensors do.
constexpr int64_t kAlignment = 16;

int64_t rounded_up(int64_t size, int64_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace

FlatParameters::FlatParameters(torch::nn::Module& model, int64_t parts) : parts_(parts) {
  int64_t size = 0;
  for (const Tensor& parameter : model.parameters()) {
    if (!parameter.requires_grad()) continue;
    parameters_.push_back(parameter);
    places_.push_back({size, parameter.numel()});
    size += rounded_up(parameter.numel(), kAlignment);
    if (parameter.scalar_type() != at::kFloat)
      throw Error("several processes can only train a model whose parameters are all fp32");
  }
  weights_ = at::zeros({rounded_up(size, parts * kAlignment)}, parameters_.front().options());
  gradients_ = at::zeros_like(weights_);
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor moved =
        weights_.narrow(0, places_[i].begin, places_[i].size).view(parameters_[i].sizes());
    moved.copy_(parameters_[i]);
    parameters_[i].set_data(moved);
  }
}

Tensor FlatParameters::gradient(size_t parameter) const {
  const Slice& place = places_[parameter];
  return gradients_.narrow(0, place.begin, place.size).view(parameters_[parameter].sizes());
}

Slice FlatParameters::part(int64_t index) const {
  const int64_t size = weights_.numel() / parts_;
  return {index * size, size};
}

std::vector<Slice> FlatParameters::slices_in(int64_t index) const {
  const Slice range = part(index);
  std::vector<Slice> slices;
  for (const Slice& place : places_) {
    const int64_t begin = std::clamp(range.begin - place.begin, int64_t{0}, place.size);
    const int64_t end = std::clamp(range.begin + range.size - place.begin, int64_t{0}, place.size);
    slices.push_back({begin, end - begin});
  }
  return slices;
}

std::vector<Bucket> plan_buckets(const FlatParameters& flat, int64_t elements) {
  const std::vector<Slice>& places = flat.places();
  std::vector<Bucket> buckets;
  int64_t end = flat.gradients().numel();
  size_t last = places.size() - 1;
  for (size_t i = places.size(); i-- > 0;) {
    const int64_t size = end - places[i].begin;
    if (size < elements && i > 0) continue;
    buckets.push_back({i, last, {places[i].begin, size}});
    end = places[i].begin;
    last = i - 1;
  }
  return buckets;
}

class GradientBuckets::Hook : public torch::autograd::PostAccumulateGradHook {
 public:
  Hook(GradientBuckets& buckets, size_t parameter) : buckets_(buckets), parameter_(parameter) {}
  void operator()(const torch::autograd::Variable& /*tensor*/) override {
    buckets_.arrived(parameter_);
  }

 private:
  GradientBuckets& buckets_;
  size_t parameter_;
};

GradientBuckets::GradientBuckets(const FlatParameters& flat, ProcessGroup& group,
                                 at::ScalarType wire, int64_t elements)
    : flat_(flat),
      group_(group),
      wire_(wire),
      buckets_(plan_buckets(flat, elements)),
      bucket_of_(flat.parameters().size()),
      parts_(flat.parameters().size(), 0) {
  for (size_t b = 0; b < buckets_.size(); ++b) {
    for (size_t i = buckets_[b].first; i <= buckets_[b].last; ++i) bucket_of_[i] = b;
  }
  for (size_t i = 0; i < flat.parameters().size(); ++i) {
    torch::autograd::impl::set_post_acc_grad_hooks(flat.parameters()[i],
                                                   std::make_unique<Hook>(*this, i));
  }
}

GradientBuckets::~GradientBuckets() {
  for (const Tensor& parameter : flat_.parameters())
    torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
}

void GradientBuckets::begin(Sending sending) {
  active_ = sending == Sending::kWhileComputed;
  sent_ = 0;
  arrived_.assign(bucket_of_.size(), 0);
  had_gradient_.assign(bucket_of_.size(), false);
  progress_.assign(buckets_.size(), {});
  for (const size_t bucket : bucket_of_) ++progress_[bucket].missing;
}

void GradientBuckets::arrived(size_t parameter) {
  if (!active_) return;
  const size_t bucket = bucket_of_[parameter];
  const int64_t parts = parts_[parameter];
  ++arrived_[parameter];
  if (parts == 0) return;
  if (bucket < sent_)
    throw Error("a gradient arrived in more parts than in the first update, too late to be summed");
  if (arrived_[parameter] == parts) --progress_[bucket].missing;
  while (sent_ < buckets_.size() && progress_[sent_].missing == 0) send(sent_);
}

void GradientBuckets::send(size_t bucket) {
  const torch::NoGradGuard no_grad;
  for (size_t i = buckets_[bucket].first; i <= buckets_[bucket].last; ++i) {
    Tensor parameter = flat_.parameters()[i];
    Tensor place = flat_.gradient(i);
    had_gradient_[i] = parameter.grad().defined();
    if (had_gradient_[i]) {
      place.copy_(parameter.grad());
      parameter.mutable_grad() = place;
    } else {
      place.zero_();
    }
  }
  const Slice range = buckets_[bucket].range;
  progress_[bucket].wait = start_sum(flat_.gradients().narrow(0, range.begin, range.size));
  ++sent_;
}

std::function<void()> GradientBuckets::start_sum(const Tensor& values) {
  if (wire_ == values.scalar_type()) return group_.start_sum(values);
  const Tensor sent = values.to(wire_);
  return [values, sent, wait = group_.start_sum(sent)] {
    wait();
    values.copy_(sent);
  };
}

std::vector<bool> GradientBuckets::finish() {
  while (sent_ < buckets_.size()) send(sent_);
  for (const Progress& progress : progress_) progress.wait();
  if (std::exchange(active_, false))
    for (size_t i = 0; i < parts_.size(); ++i)
      parts_[i] = std::max({parts_[i], arrived_[i], int64_t{1}});
  return had_gradient_;
}

}  // namespace dietmt::training
