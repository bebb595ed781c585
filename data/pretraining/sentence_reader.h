// Reads lines with text from a list of files, and finds the starts of documents.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/text_io.h"
#include "data/pretraining/text_corpus.h"

namespace dietmt::data {

/// Sentences that one thread encodes at a time.
struct SentenceChunk {
  std::vector<std::string> lines;
  std::vector<bool> begins_document;
};

class SentenceReader {
 public:
  SentenceReader(const std::vector<std::string>& files, const TextOptions& options)
      : files_(files), options_(options) {}

  /// The next sentences; nullopt at the end. Counts lines that are not UTF-8 or too long, and logs
  /// the first ones. Throws DataError naming a file that has no text, or file:line that is not
  /// UTF-8 if these are refused.
  std::optional<SentenceChunk> next();

  /// Report of the lines read so far: `lines`, `not_utf8` and `cut`, the long ones.
  const TextReport& report() const { return report_; }

 private:
  // The next line with text.
  bool next_sentence(std::string& line);
  // Opens the next file if none is open; false after the last one.
  bool open();
  void close();
  // Whether the line was longer than allowed.
  bool count_long(const std::string& line);

  const std::vector<std::string>& files_;
  TextOptions options_;
  size_t file_ = 0;
  std::unique_ptr<LineReader> reader_;  // of that file; null before it is opened
  std::optional<Utf8Lines> utf8_;       // of its lines
  bool file_has_text_ = false;
  bool begins_document_ = false;  // whether the next sentence does
  TextReport report_;
};

}  // namespace dietmt::data
