// Writes a Chrome trace of ten updates (chrome://tracing, Perfetto) for --profile.
#pragma once

#include <cstdint>
#include <filesystem>

namespace dietmt::training {

class StepProfile {
 public:
  static constexpr int64_t kFirst = 10;    // updates of this run before the trace
  static constexpr int64_t kUpdates = 10;  // updates in the trace

  /// An empty path: no trace.
  explicit StepProfile(std::filesystem::path trace);
  /// Writes the partial trace of a run that ends early.
  ~StepProfile();
  StepProfile(const StepProfile&) = delete;
  StepProfile& operator=(const StepProfile&) = delete;

  /// Call it before each update.
  void next_update();

 private:
  void write();

  std::filesystem::path trace_;
  int64_t updates_ = 0;  // started so far
  bool recording_ = false;
};

}  // namespace dietmt::training
