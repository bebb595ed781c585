// Parallel text as token ids, encoded once into memory-mapped files, so that a corpus may exceed
// memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "data/corpus/corpus_cache.h"
#include "data/corpus/parallel_reader.h"
#include "data/text/sentence_context.h"
#include "data/text/tokenizer.h"

namespace dietmt::data {

/// One pair of files as token ids, in its own cache file. Pair p has sequences 2p (source) and 2p+1
/// (target) of the cache. If the pairs have weights, one more sequence holds their bits. Groups, if
/// any, are documents.
struct CorpusShard {
  std::unique_ptr<const MappedCache> cache;
  CorpusReport report;

  int64_t size() const { return cache->sequences() / 2; }
  bool weighted() const { return cache->sequences() % 2 == 1; }
  /// 1 if the pairs have no weights.
  float weight(int64_t pair) const;
};

/// Encodes the files into `folder` under a name that depends only on their paths and tag, or maps
/// the existing cache if it was made from the same files (path, size, modification time),
/// tokenizers and filter. `documents`: each dropped pair, such as a pair of empty lines, ends a
/// document. See ParallelCorpus.
CorpusShard open_shard(const CorpusFiles& files, const Tokenizer& source, const Tokenizer& target,
                       const LengthFilter& filter, const std::filesystem::path& folder,
                       int64_t threads, bool documents = false, CacheUse use = CacheUse::kUpToDate);

/// The sentence pairs of one or several corpora as token ids, with end of sentence on each side.
/// Read-only and memory-mapped.
class ParallelCorpus {
 public:
  /// Encodes each pair of files into its own cache in `cache_folder`, or maps that cache if it was
  /// made from the same files (path, size, modification time), tag, tokenizers and filter. Adding
  /// or changing a corpus does not affect the caches of the others. Standard input and pipes are
  /// encoded each time. Threads encode in parallel; the content does not depend on their number.
  /// Throws DataError with file:line for invalid UTF-8, unequal line counts, a bad weight, a corpus
  /// that the filter empties, weights that are all 0, or a tag that the source tokenizer lacks, and
  /// Error if a cache cannot be written.
  /// With `context`, lengths and read() include a pair's context: as many preceding pairs of its
  /// document as `context` allows on both sides. The caches hold each sentence once. With
  /// CacheUse::kOfFirstProcess it only reads caches, and throws other_text().
  ParallelCorpus(const std::vector<CorpusFiles>& corpora, const Tokenizer& source,
                 const Tokenizer& target, const LengthFilter& filter,
                 const std::filesystem::path& cache_folder, int64_t threads,
                 const SentenceContext& context = {}, CacheUse use = CacheUse::kUpToDate);

  int64_t size() const { return starts_.back(); }
  /// The sentences without context.
  std::span<const int32_t> source(int64_t pair) const;
  std::span<const int32_t> target(int64_t pair) const;

  /// Equal for the same pairs in the same order, wherever their files are.
  uint64_t content_hash() const;

  /// For all corpora together.
  const CorpusReport& report() const { return report_; }

  /// Corpus c has pairs first_pair(c) .. first_pair(c+1)-1.
  int64_t corpora() const { return static_cast<int64_t>(shards_.size()); }
  int64_t first_pair(int64_t corpus) const { return starts_[static_cast<size_t>(corpus)]; }
  const CorpusReport& report(int64_t corpus) const {
    return shards_[static_cast<size_t>(corpus)].report;
  }

  /// Lengths including end of sentence; does not touch the tokens.
  int64_t source_length(int64_t pair) const;
  int64_t target_length(int64_t pair) const;

  /// The ids of both sides, source first. Reads them from the file, so that a pass over a large
  /// corpus does not make its mapped pages resident. Throws Error if reading fails.
  void read(int64_t pair, std::vector<int32_t>& ids) const;

  /// Whether pairs of a corpus have weights, and the weight of a pair in the loss; 1 if its corpus
  /// has none.
  bool weighted() const;
  float weight(int64_t pair) const;

 private:
  // A pair of a corpus.
  struct PairOfShard {
    const CorpusShard& shard;
    int64_t pair;
  };
  // A sequence of a cache.
  struct Place {
    const MappedCache& cache;
    int64_t sequence;
  };

  // Token counts of a pair with its context.
  struct Lengths {
    int64_t context = 0;  // preceding pairs
    int64_t source = 0;
    int64_t target = 0;
  };
  PairOfShard shard_of(int64_t pair) const;
  Place source_of(int64_t pair) const;
  Place target_of(int64_t pair) const;
  Lengths lengths_of(const Place& source) const;
  void read_with_context(const Place& source, std::vector<int32_t>& ids) const;

  SentenceContext context_;

  std::vector<CorpusShard> shards_;
  std::vector<int64_t> starts_ = {0};  // pairs before each shard, then the total
  CorpusReport report_;
};

}  // namespace dietmt::data
