#include "nmt/batch_decoding/recorded_steps.h"

#include <c10/util/Exception.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace dietmt::nmt {

int64_t RecordedSteps::size_for(int64_t sentences) {
  int64_t size = 1;
  while (size < sentences) size *= 2;
  const int64_t smaller = size / 4 * 3;
  return smaller >= sentences ? smaller : size;
}

at::Tensor RecordedSteps::run(int64_t size, int64_t moves,
                              const std::function<at::Tensor()>& work) {
  if (!graphs_) return work();
  if (std::exchange(moves_, moves) != moves) steps_.clear();
  Step& step = steps_[size];
  if (!std::exchange(step.is_ready, true)) return work();
  if (!step.graph) record(step, work);
  if (!step.graph) return work();
  step.graph->replay();
  return step.result;
}

// A device that cannot record goes on without graphs.
void RecordedSteps::record(Step& step, const std::function<at::Tensor()>& work) {
  try {
    step.graph = graphs_->record([&] { step.result = work(); });
  } catch (const c10::Error& error) {
    spdlog::warn("decoding goes on without graphs of the device: {}",
                 error.what_without_backtrace());
    graphs_.reset();
  }
}

}  // namespace dietmt::nmt
