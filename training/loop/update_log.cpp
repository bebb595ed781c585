#include "training/loop/update_log.h"

#include <ATen/ATen.h>

#include <chrono>

namespace dietmt::training {

void UpdateLog::computed(int64_t update, const UpdateSums& sums, const at::Tensor& norm) {
  unread_.push_back(
      {update, sums.targets, encoders::DelayedCopy(at::cat({sums.losses, norm.view(1)}))});
  const size_t delay = norm.is_cpu() ? 0 : kDelay;
  while (unread_.size() > delay) read_oldest();
}

void UpdateLog::stepped(const reporting::UpdateStats& stats) {
  stepped_.push_back(stats);
  record_read();
}

void UpdateLog::catch_up() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  while (!unread_.empty()) read_oldest();
  if (!stepped_.empty())
    stepped_.back().seconds += std::chrono::duration<double>(Clock::now() - start).count();
  record_read();
}

void UpdateLog::read_oldest() {
  const Numbers numbers = std::move(unread_.front());
  unread_.pop_front();
  const auto* const values = numbers.values.wait().const_data_ptr<double>();
  if (numbers.targets > 0.0) {
    check_.check(numbers.update, values[0] / numbers.targets, values[2], clip_norm_);
    loss_ = values[1] / numbers.targets;
  }
  read_.push_back({.loss = loss_, .gradient_norm = values[2]});
}

void UpdateLog::record_read() {
  while (!read_.empty() && !stepped_.empty()) {
    reporting::UpdateStats stats = stepped_.front();
    stats.loss = read_.front().loss;
    stats.gradient_norm = read_.front().gradient_norm;
    stepped_.pop_front();
    read_.pop_front();
    if (record_ != nullptr) record_->update(stats);
  }
}

}  // namespace dietmt::training
