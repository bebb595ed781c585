#include "data/corpus/pair_drawing.h"

#include <algorithm>
#include <utility>

#include "common/random.h"

namespace dietmt::data {
namespace {

// Keep the keys of pieces and of changed texts apart from those of the epochs' orders.
constexpr uint64_t kPiecesStream = 0x5b30d;
constexpr uint64_t kTextsStream = 0xa63e7;

constexpr int64_t kMeasuredPairs = 1000;
constexpr int64_t kNoEpoch = -1;  // for the measurement

uint64_t key_of(const PairUse& use, uint64_t stream, uint64_t number) {
  return random_key(random_key(random_key(use.seed, stream), static_cast<uint64_t>(use.epoch)),
                    number);
}

DrawnPair read_pair(const ParallelCorpus& corpus, int64_t pair) {
  std::vector<int32_t> ids;
  corpus.read(pair, ids);
  const auto target = ids.begin() + corpus.source_length(pair);
  return {{ids.begin(), target}, {target, ids.end()}};
}

void draw_pieces(const SubwordSampler* sampler, int64_t longest, uint64_t key,
                 std::vector<int32_t>& ids) {
  if (sampler == nullptr) return;
  std::vector<int32_t> drawn = sampler->sample(ids, key);
  if (std::ssize(drawn) <= longest) ids = std::move(drawn);
}

}  // namespace

DrawnPair drawn_pair(const ParallelCorpus& corpus, int64_t pair, const PairDrawing& drawing,
                     const PairUse& use) {
  DrawnPair made = read_pair(corpus, pair);
  if (drawing.augmentation != nullptr) {
    DrawnPair changed = drawing.augmentation->changed(made, key_of(use, kTextsStream, use.number));
    const bool fits = std::ssize(changed.source) <= drawing.longest &&
                      std::ssize(changed.target) <= drawing.longest;
    if (fits) made = std::move(changed);
  }
  draw_pieces(drawing.source.get(), drawing.longest, key_of(use, kPiecesStream, 2 * use.number),
              made.source);
  draw_pieces(drawing.target.get(), drawing.longest, key_of(use, kPiecesStream, 2 * use.number + 1),
              made.target);
  return made;
}

TokenGrowth token_growth(const ParallelCorpus& corpus, const PairDrawing& drawing, uint64_t seed) {
  if (!drawing.any()) return {};
  const int64_t pairs = std::min(corpus.size(), kMeasuredPairs);
  TokenGrowth drawn{0, 0}, fixed{0, 0};
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t pair = i * corpus.size() / pairs;
    const DrawnPair made =
        drawn_pair(corpus, pair, drawing, {seed, kNoEpoch, static_cast<uint64_t>(i)});
    drawn.source += static_cast<double>(made.source.size());
    drawn.target += static_cast<double>(made.target.size());
    fixed.source += static_cast<double>(corpus.source_length(pair));
    fixed.target += static_cast<double>(corpus.target_length(pair));
  }
  return {drawn.source / fixed.source, drawn.target / fixed.target};
}

}  // namespace dietmt::data
