#include "data/corpus/parallel_corpus.h"

#include <algorithm>

#include "common/error.h"
#include "common/random.h"

namespace dietmt::data {

ParallelCorpus::ParallelCorpus(const std::vector<CorpusFiles>& corpora, const Tokenizer& source,
                               const Tokenizer& target, const LengthFilter& filter,
                               const std::filesystem::path& cache_folder, int64_t threads) {
  for (const CorpusFiles& files : corpora) {
    shards_.push_back(open_shard(files, source, target, filter, cache_folder, threads));
    starts_.push_back(size() + shards_.back().size());
    report_ += shards_.back().report;
  }
  if (report_.kept == 0)
    throw DataError(corpora.at(0).source +
                    ": no pair is left after filtering by --min-tokens, --max-tokens and "
                    "--max-ratio: " +
                    report_.summary());
}

uint64_t ParallelCorpus::content_hash() const {
  uint64_t hash = 0;
  for (const CorpusShard& shard : shards_) hash = random_key(hash, shard.cache->content_hash());
  return hash;
}

ParallelCorpus::Place ParallelCorpus::source_of(int64_t pair) const {
  const auto next = std::upper_bound(starts_.begin() + 1, starts_.end() - 1, pair);
  const auto shard = static_cast<size_t>(next - starts_.begin()) - 1;
  return {*shards_[shard].cache, 2 * (pair - starts_[shard])};
}

ParallelCorpus::Place ParallelCorpus::target_of(int64_t pair) const {
  const Place source = source_of(pair);
  return {source.cache, source.sequence + 1};
}

std::span<const int32_t> ParallelCorpus::source(int64_t pair) const {
  const Place place = source_of(pair);
  return place.cache.sequence(place.sequence);
}

std::span<const int32_t> ParallelCorpus::target(int64_t pair) const {
  const Place place = target_of(pair);
  return place.cache.sequence(place.sequence);
}

int64_t ParallelCorpus::source_length(int64_t pair) const {
  const Place place = source_of(pair);
  return place.cache.length(place.sequence);
}

int64_t ParallelCorpus::target_length(int64_t pair) const {
  const Place place = target_of(pair);
  return place.cache.length(place.sequence);
}

void ParallelCorpus::read(int64_t pair, std::vector<int32_t>& ids) const {
  ids.clear();
  const Place source = source_of(pair);
  source.cache.read(source.cache.first_token(source.sequence),
                    source.cache.first_token(source.sequence + 2), ids);
}

}  // namespace dietmt::data
