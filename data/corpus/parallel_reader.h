// Reads parallel text: pairs of lines of two files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/text_io.h"
#include "data/corpus/corpus_files.h"
#include "data/text/utf8_lines.h"

namespace dietmt::data {

/// Lines that are translations of each other.
struct TextPairs {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
};

class ParallelReader {
 public:
  explicit ParallelReader(const CorpusFiles& files);

  /// The next pairs, as many as a thread encodes at once; nothing at the end. Cuts long lines with
  /// a warning. Throws DataError with file:line: not UTF-8 (unless `files` allow it), or one file
  /// is shorter.
  std::optional<TextPairs> next();

  /// Pairs that were left out because a side is not UTF-8.
  int64_t skipped() const { return skipped_; }

  /// Warns of the lines that were not UTF-8.
  void report() const;

 private:
  bool next_pair(std::string& source, std::string& target);
  [[noreturn]] void fail_unequal(LineReader& longer);

  const CorpusFiles& files_;
  LineReader source_;
  LineReader target_;
  Utf8Lines source_utf8_;
  Utf8Lines target_utf8_;
  int64_t skipped_ = 0;
};

/// Reads the files from start to end only to throw what ParallelReader throws. Throws Stopped after
/// a signal.
void check_parallel_text(const CorpusFiles& files);

/// All pairs.
TextPairs read_parallel_text(const CorpusFiles& files);

}  // namespace dietmt::data
