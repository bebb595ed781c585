// Parallel text as token ids: encoded once into a file that is mapped into memory, so that corpora
// larger than memory train.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/tokenizer.h"

namespace dietmt::data {

struct LengthFilter {
  int64_t min_tokens = 1;    // of either side, without end of sentence
  int64_t max_tokens = 250;  // of either side
  double max_ratio = 0.0;    // longer side / shorter side; 0: no limit
};

/// What happened to the lines of a corpus.
struct CorpusReport {
  int64_t lines = 0;
  int64_t kept = 0;
  int64_t empty = 0;  // one side or both
  int64_t too_short = 0;
  int64_t too_long = 0;
  int64_t ratio = 0;
  int64_t source_tokens = 0;  // of the kept pairs, with end of sentence
  int64_t target_tokens = 0;
  std::string summary() const;  // one sentence
};

/// Sentence pairs of token ids, each side ending in end of sentence. Read-only, backed by a mapped
/// file.
class ParallelCorpus {
 public:
  /// Encodes the files (paired line by line, concatenated in order) into `cache_file`, or maps that
  /// file if it was made from the same files (path, size, modification time), tokenizers and
  /// filter. Standard input and pipes are encoded anew each time. Threads encode in parallel; the
  /// content does not depend on their number. Throws DataError with file:line: not UTF-8, unequal
  /// line counts, nothing left after filtering; Error if the cache cannot be written.
  ParallelCorpus(const std::vector<std::string>& source_files,
                 const std::vector<std::string>& target_files, const Tokenizer& source,
                 const Tokenizer& target, const LengthFilter& filter,
                 const std::filesystem::path& cache_file, int64_t threads);
  ~ParallelCorpus();

  int64_t size() const;
  std::span<const int32_t> source(int64_t pair) const;
  std::span<const int32_t> target(int64_t pair) const;
  const CorpusReport& report() const;

  /// Lengths with end of sentence, without touching the tokens.
  int64_t source_length(int64_t pair) const;
  int64_t target_length(int64_t pair) const;

  /// The ids of both sides, source first, copied by a file read: going over a large corpus so does
  /// not make its mapped pages resident. Throws Error if reading fails.
  void read(int64_t pair, std::vector<int32_t>& ids) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dietmt::data
