// One pair of files as token ids, in its own cache file.
#pragma once

#include <filesystem>
#include <memory>

#include "data/corpus/corpus_cache.h"
#include "data/corpus/corpus_files.h"
#include "data/text/tokenizer.h"

namespace dietmt::data {

/// Pair p has the sequences 2p (source) and 2p+1 (target) of the cache.
struct CorpusShard {
  std::unique_ptr<const MappedCache> cache;
  CorpusReport report;

  int64_t size() const { return cache->sequences() / 2; }
};

/// Encodes the files into `folder`, under a name that depends only on their paths and tag, or maps
/// the existing cache if it was made from the same files (path, size, modification time),
/// tokenizers and filter. See ParallelCorpus.
CorpusShard open_shard(const CorpusFiles& files, const Tokenizer& source, const Tokenizer& target,
                       const LengthFilter& filter, const std::filesystem::path& folder,
                       int64_t threads);

}  // namespace dietmt::data
