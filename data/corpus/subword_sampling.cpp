#include "data/corpus/subword_sampling.h"

#include <algorithm>

#include "common/random.h"

namespace dietmt::data {
namespace {

// Keeps the keys of pieces apart from those of the epochs' orders.
constexpr uint64_t kSamplingStream = 0x5b30d;

constexpr int64_t kMeasuredPairs = 1000;
constexpr int64_t kNoEpoch = -1;  // for the measurement

}  // namespace

uint64_t sampling_key(uint64_t seed, int64_t epoch, uint64_t use, bool target) {
  const uint64_t of_epoch =
      random_key(random_key(seed, kSamplingStream), static_cast<uint64_t>(epoch));
  return random_key(of_epoch, 2 * use + (target ? 1 : 0));
}

std::vector<int32_t> drawn_pieces(const SubwordSampler* sampler, int64_t longest,
                                  std::span<const int32_t> ids, uint64_t key) {
  if (sampler != nullptr) {
    std::vector<int32_t> drawn = sampler->sample(ids, key);
    if (std::ssize(drawn) <= longest) return drawn;
  }
  return {ids.begin(), ids.end()};
}

TokenGrowth token_growth(const ParallelCorpus& corpus, const SubwordSampling& sampling,
                         uint64_t seed) {
  if (!sampling.any()) return {};
  const int64_t pairs = std::min(corpus.size(), kMeasuredPairs);
  TokenGrowth drawn{0, 0}, fixed{0, 0};
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t pair = i * corpus.size() / pairs;
    corpus.read(pair, ids);
    const auto length = static_cast<size_t>(corpus.source_length(pair));
    const std::span source = std::span<const int32_t>(ids).first(length);
    const std::span target = std::span<const int32_t>(ids).subspan(length);
    const auto tokens_of = [&](const auto& sampler, std::span<const int32_t> side, bool is_target) {
      const uint64_t key = sampling_key(seed, kNoEpoch, static_cast<uint64_t>(i), is_target);
      return static_cast<double>(drawn_pieces(sampler.get(), sampling.longest, side, key).size());
    };
    drawn.source += tokens_of(sampling.source, source, false);
    drawn.target += tokens_of(sampling.target, target, true);
    fixed.source += static_cast<double>(source.size());
    fixed.target += static_cast<double>(target.size());
  }
  return {drawn.source / fixed.source, drawn.target / fixed.target};
}

}  // namespace dietmt::data
