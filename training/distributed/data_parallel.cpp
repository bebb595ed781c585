#include "training/distributed/data_parallel.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <cmath>

#include "training/optimization/optimizer.h"

namespace dietmt::training {

using at::Tensor;

namespace {

// NCCL needs long transfers to be fast; with 25 MB only the last one is not hidden, as in PyTorch.
constexpr int64_t kDeviceElements = 25 * (1 << 20) / sizeof(float);

int64_t bucket_elements(const FlatParameters& flat) {
  return flat.weights().is_cpu() ? GradientBuckets::kElements : kDeviceElements;
}

}  // namespace

DataParallel::DataParallel(torch::nn::Module& model, ProcessGroup& group, int64_t per_update,
                           at::ScalarType wire)
    : group_(group),
      share_{group.rank(), group.processes(), per_update},
      flat_(model, group.processes()),
      buckets_(flat_, group, wire, bucket_elements(flat_)) {}

bool DataParallel::is_last(int64_t index) const {
  return owns(index) && index % share_.per_update + share_.processes >= share_.per_update;
}

UpdateSums DataParallel::sum(const UpdateSums& own) {
  const std::vector<bool> had_gradient = buckets_.finish();
  const Slice part = flat_.part(group_.rank());
  const Tensor norm = vector_norm({flat_.gradients().narrow(0, part.begin, part.size)});
  Tensor numbers = at::cat({own.losses, (norm * norm).view(1)});  // [3]
  std::vector<double> values = {0, 0, own.targets, own.tokens, 0, own.stop ? 1.0 : 0.0};
  const bool on_host = numbers.is_cpu();
  if (on_host) {
    const auto* const own_numbers = numbers.const_data_ptr<double>();
    values[0] = own_numbers[0];
    values[1] = own_numbers[1];
    values[4] = own_numbers[2];
  } else {
    group_.sum(numbers);  // by the devices: no host waits for them
  }
  const size_t first_flag = values.size();
  values.insert(values.end(), had_gradient.begin(), had_gradient.end());
  group_.sum(at::from_blob(values.data(), {std::ssize(values)}, at::kDouble));
  for (size_t i = 0; i < had_gradient.size(); ++i) {
    Tensor parameter = flat_.parameters()[i];
    if (values[first_flag + i] > 0.0 && !had_gradient[i])
      parameter.mutable_grad() = flat_.gradient(i);
  }
  if (on_host) numbers = at::tensor({values[0], values[1], values[4]});
  return {numbers.narrow(0, 0, 2), values[2], values[3], numbers[2].sqrt(), values[5] > 0.0};
}

std::vector<Tensor> DataParallel::gather(const std::vector<Tensor>& own) const {
  const Slice part = flat_.part(group_.rank());
  const std::vector<Slice> slices_of_parameters = slices();
  Tensor packed = at::zeros({part.size}, flat_.weights().options());
  for (size_t i = 0; i < own.size(); ++i) {
    const Slice& slice = slices_of_parameters[i];
    if (slice.size == 0) continue;
    packed.narrow(0, flat_.places()[i].begin + slice.begin - part.begin, slice.size).copy_(own[i]);
  }
  const Tensor all = group_.gather(packed);
  std::vector<Tensor> whole;
  if (!group_.is_first()) return whole;
  for (size_t i = 0; i < own.size(); ++i) {
    const Slice& place = flat_.places()[i];
    whole.push_back(all.narrow(0, place.begin, place.size).view(flat_.parameters()[i].sizes()));
  }
  return whole;
}

}  // namespace dietmt::training
