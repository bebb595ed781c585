// A Chrome trace of ten updates (chrome://tracing, Perfetto): what --profile writes.
#pragma once

#include <cstdint>
#include <filesystem>

namespace dietmt::training {

class StepProfile {
 public:
  static constexpr int64_t kFirst = 10;    // updates of this run before the trace
  static constexpr int64_t kUpdates = 10;  // in the trace

  /// An empty path: no trace.
  explicit StepProfile(std::filesystem::path trace);
  /// Writes what a run that ends early has left.
  ~StepProfile();
  StepProfile(const StepProfile&) = delete;
  StepProfile& operator=(const StepProfile&) = delete;

  /// To be called before each update.
  void next_update();

 private:
  void write();

  std::filesystem::path trace_;
  int64_t updates_ = 0;  // begun
  bool recording_ = false;
};

}  // namespace dietmt::training
