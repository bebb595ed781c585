#include "nmt/training/guided_alignment.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "common/error.h"
#include "common/process.h"
#include "data/shortlist/aligner.h"
#include "encoders/device/device.h"

namespace dietmt::nmt {
namespace {

class StatisticalGuide : public AlignmentGuide {
 public:
  StatisticalGuide(data::SentencePairs pairs, int64_t threads)
      : pairs_(std::move(pairs)),
        aligner_(data::train_aligner(pairs_, {.prior = data::kSparsePrior, .threads = threads},
                                     [](const data::AlignerIteration& iteration) {
                                       throw_if_stop_requested();
                                       spdlog::info(
                                           "word aligner: iteration {}, log-likelihood {:.4g}",
                                           iteration.number, iteration.log_likelihood);
                                     })) {}

  std::vector<TokenLink> links(int64_t pair) const override {
    std::vector<TokenLink> found;
    const std::vector<int32_t> sources = aligner_.links(pairs_.at(pair));
    for (size_t t = 0; t < sources.size(); ++t)
      if (sources[t] >= 0) found.push_back({sources[t], static_cast<int32_t>(t)});
    return found;
  }

 private:
  data::SentencePairs pairs_;
  data::WordAligner aligner_;
};

}  // namespace

std::shared_ptr<const AlignmentGuide> statistical_guide(const data::ParallelCorpus& text,
                                                        const data::Tokenizer& source,
                                                        const data::Tokenizer& target,
                                                        int64_t threads) {
  return std::make_shared<StatisticalGuide>(data::sentence_pairs(text, source, target), threads);
}

AlignmentTargets alignment_targets(std::span<const int64_t> targets,
                                   std::span<const int64_t> sources,
                                   std::span<const std::vector<TokenLink>> links,
                                   std::span<const float> pair_weights, at::Device device) {
  std::vector<int64_t> places;
  std::vector<float> weights;
  int64_t begin = 0;  // of the sentence among all weights
  for (size_t b = 0; b < links.size(); ++b) {
    std::vector<float> counts(static_cast<size_t>(targets[b]));
    for (const TokenLink& link : links[b])
      if (link.source < 0 || link.source >= sources[b] || link.target < 0 ||
          link.target >= targets[b])
        throw DataError("an alignment links token " + std::to_string(link.source) + " to token " +
                        std::to_string(link.target) + " in a pair of " +
                        std::to_string(sources[b]) + " and " + std::to_string(targets[b]) +
                        " tokens");
    for (const TokenLink& link : links[b]) counts[static_cast<size_t>(link.target)] += 1.0F;
    const float of_pair = pair_weights.empty() ? 1.0F : pair_weights[b];
    for (const TokenLink& link : links[b]) {
      places.push_back(begin + link.target * sources[b] + link.source);
      weights.push_back(of_pair / counts[static_cast<size_t>(link.target)]);
    }
    begin += targets[b] * sources[b];
  }
  const int64_t count = std::ssize(places);
  const at::Tensor host = encoders::staging_tensor(count + (count + 1) / 2, device);
  std::ranges::copy(places, host.mutable_data_ptr<int64_t>());
  std::ranges::copy(weights, reinterpret_cast<float*>(host.mutable_data_ptr<int64_t>() + count));
  const at::Tensor all = host.to(device, /*non_blocking=*/true);
  return {all.narrow(0, 0, count),
          all.narrow(0, count, (count + 1) / 2).view(at::kFloat).narrow(0, 0, count)};
}

at::Tensor alignment_loss(at::TensorList attention, const AlignmentTargets& targets) {
  constexpr double kSmallest = 1e-9;  // of a probability, before its logarithm
  std::vector<at::Tensor> flat;
  for (const at::Tensor& sentence : attention) flat.push_back(sentence.reshape(-1));
  const at::Tensor chosen = at::cat(flat).index_select(0, targets.places);
  return -(chosen.clamp_min(kSmallest).log() * targets.weights).sum();
}

}  // namespace dietmt::nmt
