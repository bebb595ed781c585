#include "nmt/batch_decoding/forced_scoring.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>

#include "encoders/attention/packing.h"
#include "encoders/ops/linear.h"
#include "nmt/batch_decoding/step_scorer.h"
#include "nmt/engine/thread_team.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {
namespace {

// One ATen thread for the lifetime of this object.
class SingleThreadedKernels {
 public:
  SingleThreadedKernels() { at::set_num_threads(1); }
  ~SingleThreadedKernels() { at::set_num_threads(before_); }
  SingleThreadedKernels(const SingleThreadedKernels&) = delete;
  SingleThreadedKernels& operator=(const SingleThreadedKernels&) = delete;

 private:
  int before_ = at::get_num_threads();
};

using at::Tensor;

// hidden: [N, D]; targets: [N]. Returns [N]; never holds more than a block of [rows, V].
Tensor target_log_probs(const TranslationModel& model, const Tensor& hidden,
                        const Tensor& targets) {
  constexpr int64_t kMostRows = 512;
  const int64_t blocks = (hidden.size(0) + kMostRows - 1) / kMostRows;
  std::vector<Tensor> parts;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t start = hidden.size(0) * block / blocks;
    const int64_t rows = hidden.size(0) * (block + 1) / blocks - start;
    const Tensor logits = encoders::linear_layer(hidden.narrow(0, start, rows),
                                                 model.output_weight(), model.output_bias())
                              .to(at::kFloat);
    const Tensor chosen = logits.gather(1, targets.narrow(0, start, rows).unsqueeze(1)).squeeze(1);
    parts.push_back(chosen - logits.logsumexp(-1));
  }
  return at::cat(parts);
}

Tensor model_log_probs(const TranslationModel& model, const data::PackedTokens& sources,
                       const data::PackedTokens& targets, int32_t begin_id) {
  const at::Device device = model.output_weight().device();
  const encoders::Packing source_packing = encoders::packing_of(sources, device);
  const encoders::Packing target_packing = encoders::packing_of(targets, device);
  const Tensor memory = model.encode(encoders::ids_of(sources.tokens, device), source_packing);
  const Tensor hidden =
      model.decode(encoders::ids_of(shifted_right(targets, begin_id).tokens, device),
                   target_packing, memory, source_packing);
  return target_log_probs(model, hidden, encoders::ids_of(targets.tokens, device));
}

}  // namespace

std::vector<std::vector<size_t>> batches_by_length(std::span<const int64_t> lengths,
                                                   int64_t batch_tokens) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<size_t>> batches;
  for (const size_t i : order) {
    const auto joins = [&](const std::vector<size_t>& batch) {
      const int64_t longest = lengths[batch.front()];
      return static_cast<int64_t>(batch.size() + 1) * longest <= batch_tokens;
    };
    if (batches.empty() || !joins(batches.back())) batches.emplace_back();
    batches.back().push_back(i);
  }
  return batches;
}

void for_each_batch(const std::vector<std::vector<size_t>>& batches, int64_t threads,
                    const std::function<void(const std::vector<size_t>&)>& work,
                    const std::function<void(int64_t)>& progress) {
  const int64_t wanted = threads > 0 ? threads : at::get_num_threads();
  const SingleThreadedKernels single_threaded;
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  ThreadTeam team(std::min(wanted, std::ssize(batches)));
  team.run([&](int64_t) {
    for (size_t i = next++; i < batches.size(); i = next++) {
      try {
        work(batches[i]);
        const std::lock_guard lock(mutex);
        if (progress) progress(std::ssize(batches[i]));
      } catch (...) {
        next = batches.size();
        throw;
      }
    }
  });
}

std::vector<std::vector<float>> score_targets(std::span<const TranslationModel* const> models,
                                              std::span<const ScoringRequest> requests,
                                              const ScoringOptions& options,
                                              const std::function<void(int64_t)>& progress) {
  std::vector<int64_t> lengths;
  for (const ScoringRequest& request : requests)
    lengths.push_back(static_cast<int64_t>(std::max(request.source.size(), request.target.size())));
  const auto batches = batches_by_length(lengths, options.batch_tokens);
  std::vector<std::vector<float>> results(requests.size());
  const auto work = [&](const std::vector<size_t>& batch) {
    const c10::InferenceMode inference;
    const encoders::FixedRowBlocks same_bits_in_every_batch;
    data::PackedTokens sources, targets;
    for (const size_t i : batch) {
      sources.append(requests[i].source);
      targets.append(requests[i].target);
    }
    Tensor sum;
    for (const TranslationModel* model : models) {
      const Tensor one = model_log_probs(*model, sources, targets, options.begin_id);
      sum = sum.defined() ? at::logaddexp(sum, one) : one;
    }
    const Tensor scores = (sum - std::log(static_cast<double>(models.size()))).cpu();
    const float* next = scores.data_ptr<float>();
    for (const size_t i : batch) {
      results[i].assign(next, next + requests[i].target.size());
      next += requests[i].target.size();
    }
  };
  const bool on_cpu = models.front()->output_weight().is_cpu();
  for_each_batch(batches, on_cpu ? options.threads : 1, work, progress);
  return results;
}

}  // namespace dietmt::nmt
