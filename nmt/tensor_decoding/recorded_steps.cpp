#include "nmt/tensor_decoding/recorded_steps.h"

#include <utility>

namespace dietmt::nmt {

int64_t RecordedSteps::size_for(int64_t sentences) {
  int64_t size = 1;
  while (size < sentences) size *= 2;
  const int64_t smaller = size / 4 * 3;
  return smaller >= sentences ? smaller : size;
}

int64_t RecordedSteps::largest_size(int64_t most) {
  const int64_t size = size_for(most);
  if (size == most) return size;
  const bool is_power = (size & (size - 1)) == 0;
  return is_power ? size / 4 * 3 : size / 3 * 2;
}

at::Tensor RecordedSteps::run(int64_t size, int64_t moves,
                              const std::function<at::Tensor()>& work) {
  if (graphs_ == nullptr) return work();
  if (std::exchange(moves_, moves) != moves) steps_.clear();
  Step& step = steps_[size];
  if (!std::exchange(step.is_ready, true)) return work();
  if (!step.graph && !record(step, work)) return work();
  step.graph->replay();
  return step.result;
}

// Returns false, and forgets all graphs and `step`, if the device cannot record; decoding continues
// without graphs.
bool RecordedSteps::record(Step& step, const std::function<at::Tensor()>& work) {
  const bool recorded = encoders::records_or_warns(
      "decoding", *graphs_, [&] { step.graph = graphs_->record([&] { step.result = work(); }); });
  if (recorded) return true;
  steps_.clear();
  graphs_ = nullptr;
  return false;
}

}  // namespace dietmt::nmt
