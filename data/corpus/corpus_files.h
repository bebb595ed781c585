// What parallel text is made from, and what became of its lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::data {

/// Two files, line by line translations of each other: a corpus of its own among several.
struct CorpusFiles {
  std::string source;
  std::string target;
  std::string source_tag = {};  // a word before each source line; empty: none
};

/// Each source file with the target file of the same place and, if there are any, its tag. Throws
/// ConfigError: different numbers of them, or none.
std::vector<CorpusFiles> corpus_files(const std::vector<std::string>& sources,
                                      const std::vector<std::string>& targets,
                                      const std::vector<std::string>& source_tags = {});

struct LengthFilter {
  int64_t min_tokens = 1;    // of either side, without tag and end of sentence
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
  int64_t source_tokens = 0;  // of the kept pairs, with tag and end of sentence
  int64_t target_tokens = 0;
  CorpusReport& operator+=(const CorpusReport& other);
  std::string summary() const;  // one sentence
};

}  // namespace dietmt::data
