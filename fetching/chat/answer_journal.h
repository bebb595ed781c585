// The answers of a teacher, each on disk as soon as it is there, in the order in which they arrive.
// A run continues the journal of an interrupted run of the same command.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nmt/translation/line_writer.h"

namespace dietmt::fetching {

struct JournalEntry {
  int64_t line = 0;                     // of the text, from 1
  std::vector<std::string> texts = {};  // its translations; none: it is left out
  std::string problem = {};             // why it is left out
  int64_t input_tokens = 0, output_tokens = 0;
};

class AnswerJournal {
 public:
  /// Writes FILE.part. `settings`: lines `NAME VALUE` of everything that the answers depend on.
  /// Throws Error, with the setting, if FILE.part has answers for others: they may have cost money,
  /// so it is for the user to remove them.
  AnswerJournal(const std::string& file, const std::string& settings);

  /// Answers of earlier runs, and what all runs have used.
  int64_t kept() const { return kept_; }
  int64_t input_tokens() const { return input_tokens_; }
  int64_t output_tokens() const { return output_tokens_; }

  /// Whether there are translations of the line. Lines that were left out may be asked about again.
  bool has(int64_t line) const;

  void add(const JournalEntry& entry);

  /// The entry of a line; without texts if there is none.
  JournalEntry of(int64_t line) const;

  /// Removes the file. Call it when its answers are in their place.
  void remove();

 private:
  void read(const std::string& settings);
  void note(const JournalEntry& entry, int64_t offset);

  std::string path_;  // of the unfinished file
  nmt::LineWriter writer_;
  std::vector<int64_t> offsets_;  // of each line's entry in the file, from line 1; -1: none
  int64_t bytes_ = 0;
  int64_t kept_ = 0, input_tokens_ = 0, output_tokens_ = 0;
};

}  // namespace dietmt::fetching
