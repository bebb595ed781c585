#include "training/loop/step_profile.h"

#include <spdlog/spdlog.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/cuda.h>

#include <cstdlib>
#include <set>

namespace dietmt::training {
namespace profiler = torch::autograd::profiler;

StepProfile::StepProfile(std::filesystem::path trace) : trace_(std::move(trace)) {}

StepProfile::~StepProfile() {
  if (recording_) {
    write();
  } else if (!trace_.empty() && updates_ <= kFirst) {
    spdlog::warn("no trace: the run ended before update {}", kFirst + 1);
  }
}

void StepProfile::next_update() {
  if (trace_.empty()) return;
  const int64_t update = updates_++;
  if (update == kFirst) {
    ::setenv("KINETO_LOG_LEVEL", "99", /*overwrite=*/0);  // it complains without a GPU
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
  // The profiler does not report whether it could write the file.
  std::error_code error;
  std::filesystem::remove(trace_, error);
  profiler::disableProfiler()->save(trace_.string());
  if (std::filesystem::is_regular_file(trace_, error)) {
    spdlog::info("trace of updates: {}", trace_.string());
    return;
  }
  std::filesystem::remove(trace_.string() + ".tmp", error);
  spdlog::warn("{}: the trace of updates cannot be written", trace_.string());
}

}  // namespace dietmt::training
