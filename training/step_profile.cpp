#include "training/step_profile.h"

#include <spdlog/spdlog.h>
#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/torch.h>

#include <cstdlib>
#include <set>

namespace dietmt::training {
namespace profiler = torch::autograd::profiler;

StepProfile::StepProfile(std::filesystem::path trace) : trace_(std::move(trace)) {}

StepProfile::~StepProfile() {
  if (recording_) write();
}

void StepProfile::next_update() {
  if (trace_.empty()) return;
  const int64_t update = updates_++;
  if (update == kFirst) {
    ::setenv("KINETO_LOG_LEVEL", "99", /*overwrite=*/0);  // it complains where there is no GPU
    const profiler::ProfilerConfig config(profiler::ProfilerState::KINETO);
    std::set<profiler::ActivityType> activities{profiler::ActivityType::CPU};
    if (torch::cuda::is_available()) activities.insert(profiler::ActivityType::CUDA);
    profiler::prepareProfiler(config, activities);
    profiler::enableProfiler(config, activities);
    recording_ = true;
  } else if (update == kFirst + kUpdates) {
    write();
  }
}

void StepProfile::write() {
  recording_ = false;
  profiler::disableProfiler()->save(trace_.string());
  spdlog::info("trace of updates: {}", trace_.string());
}

}  // namespace dietmt::training
