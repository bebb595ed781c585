#include "training/distributed/data_parallel.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <cmath>

#include "training/optimization/optimizer.h"

namespace dietmt::training {

using at::Tensor;

DataParallel::DataParallel(torch::nn::Module& model, ProcessGroup& group, int64_t per_update)
    : group_(group),
      share_{group.rank(), group.processes(), per_update},
      flat_(model, group.processes()),
      buckets_(flat_, group) {}

bool DataParallel::is_last(int64_t index) const {
  return owns(index) && index % share_.per_update + share_.processes >= share_.per_update;
}

UpdateSums DataParallel::sum(const UpdateSums& own) {
  const std::vector<bool> had_gradient = buckets_.finish();
  const Slice part = flat_.part(group_.rank());
  const double norm = vector_norm({flat_.gradients().narrow(0, part.begin, part.size)});
  std::vector<double> values = {own.loss,   own.target_loss, own.targets,
                                own.tokens, norm * norm,     own.stop ? 1.0 : 0.0};
  const size_t first_flag = values.size();
  values.insert(values.end(), had_gradient.begin(), had_gradient.end());
  group_.sum(at::from_blob(values.data(), {std::ssize(values)}, at::kDouble));
  for (size_t i = 0; i < had_gradient.size(); ++i) {
    Tensor parameter = flat_.parameters()[i];
    if (values[first_flag + i] > 0.0 && !had_gradient[i])
      parameter.mutable_grad() = flat_.gradient(i);
  }
  return {values[0], values[1], values[2], values[3], std::sqrt(values[4]), values[5] > 0.0};
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
