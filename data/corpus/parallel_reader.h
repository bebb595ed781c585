// Parallel text: the files, how many of their lines are kept, and a reader of line pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/text_io.h"
#include "data/text/text_column.h"
#include "data/text/utf8_lines.h"

namespace dietmt::data {

/// One corpus: two files, or two columns of a file (TextColumn), whose lines are translations of
/// each other.
struct CorpusFiles {
  std::string source;
  std::string target;
  std::string source_tag = {};  // a word put before each source line; empty: none
  std::string target_tag = {};  // and before each target line
  InvalidUtf8 invalid_utf8 = InvalidUtf8::kRefuse;
  bool allows_unknown = false;  // more unknown pieces than UnknownPieces::kRefused
  std::string weights = {};     // a file or column with the weight of each pair; empty: all are 1
};

/// Pairs each source file with the target file at the same index. Throws ConfigError if their
/// numbers differ or there are none.
std::vector<CorpusFiles> corpus_files(const std::vector<std::string>& sources,
                                      const std::vector<std::string>& targets);

struct LengthFilter {
  int64_t min_tokens = 1;    // per side, without tags and end of sentence
  int64_t max_tokens = 250;  // per side
  double max_ratio = 0.0;    // longer side / shorter side; 0: no limit
};

/// What happened to the lines of a corpus.
struct CorpusReport {
  int64_t lines = 0;
  int64_t kept = 0;
  int64_t empty = 0;  // on one side or both
  int64_t too_short = 0;
  int64_t too_long = 0;
  int64_t ratio = 0;
  int64_t source_tokens = 0;  // of the kept pairs, with tags and end of sentence
  int64_t target_tokens = 0;
  /// Pairs skipped because a side is not UTF-8.
  int64_t not_utf8() const { return lines - kept - empty - too_short - too_long - ratio; }
  CorpusReport& operator+=(const CorpusReport& other);
  std::string summary() const;  // one sentence
};

/// Lines that are translations of each other. A skipped pair is replaced by an empty one, so that
/// it ends a document.
struct TextPairs {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
  std::vector<float> weights;  // of the pairs in the loss; empty: all are 1
};

class ParallelReader {
 public:
  static constexpr double kHeaviest = 1e6;  // weight of a pair

  explicit ParallelReader(const CorpusFiles& files);

  /// The next pairs, as many as a thread encodes at once; nullopt at the end. Cuts long lines with
  /// a warning. Throws DataError with file:line for invalid UTF-8 (unless `files` allow it), a
  /// missing column, a weight that is no number from 0 to kHeaviest, and if one file is shorter.
  std::optional<TextPairs> next();

  /// Pairs left empty because a side is not UTF-8.
  int64_t skipped() const { return skipped_; }

  /// Warns about lines that are not UTF-8.
  void report() const;

 private:
  bool next_pair(std::string& source, std::string& target);
  float next_weight();

  const CorpusFiles& files_;
  TextReader source_;
  TextReader target_;
  Utf8Lines source_utf8_;
  Utf8Lines target_utf8_;
  std::optional<TextReader> weights_;
  int64_t skipped_ = 0;
};

/// Throws DataError that names the first line without counterpart and the numbers of lines of both
/// files. `source_is_longer`: which one still had a line.
[[noreturn]] void refuse_unequal(const std::string& source_name, LineReader& source,
                                 const std::string& target_name, LineReader& target,
                                 bool source_is_longer);

/// Reads the files to the end only to throw what ParallelReader throws. Throws Stopped after a
/// signal.
void check_parallel_text(const CorpusFiles& files);

/// All pairs, with empty ones in place of skipped ones.
TextPairs read_parallel_text(const CorpusFiles& files);

}  // namespace dietmt::data
