// Checks each update's loss and gradient norm for divergence and records them. Values that a device
// computes are read kDelay updates later, so that the host does not wait for the device but runs
// ahead of it by no more than that.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>

#include "encoders/device/delayed_copy.h"
#include "reporting/progress.h"
#include "training/distributed/data_parallel.h"
#include "training/loop/run_record.h"
#include "training/optimization/divergence.h"

namespace dietmt::training {

class UpdateLog {
 public:
  static constexpr size_t kDelay = 4;  // updates, on a device

  /// `clip_norm`: the option, for advice. `record`: null: none. The references must outlive this.
  UpdateLog(DivergenceCheck& check, double clip_norm, RunRecord* record)
      : check_(check), clip_norm_(clip_norm), record_(record) {}

  /// Takes the sums of update `update` and the norm of its mean gradient, before the step. Throws
  /// what DivergenceCheck throws: for this update on the CPU, for one kDelay updates ago on a
  /// device.
  void computed(int64_t update, const UpdateSums& sums, const at::Tensor& norm);

  /// Takes the statistics of the same update after the step, without loss and norm.
  void stepped(const reporting::UpdateStats& stats);

  /// Reads all updates so far, with the time of the last one. Throws like computed().
  void catch_up();

 private:
  struct Numbers {
    int64_t update = 0;
    double targets = 0;
    encoders::DelayedCopy values;  // [3]: loss and target loss over all targets, norm
  };

  void read_oldest();
  void record_read();

  DivergenceCheck& check_;
  double clip_norm_;
  RunRecord* record_;
  double loss_ = 0.0;  // of the last update that had targets
  std::deque<Numbers> unread_;
  std::deque<reporting::UpdateStats> read_;     // only loss and norm are set
  std::deque<reporting::UpdateStats> stepped_;  // loss and norm are not set
};

}  // namespace dietmt::training
