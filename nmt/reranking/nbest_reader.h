// N-best lists as `dietmt translate` writes them: `line ||| text ||| score` of --nbest, with lines
// counted from 0, or the objects of --json. Also those of Moses and Marian, whose lines have
// features before the score: `line ||| text ||| LM0= -7.1 TM0= -1.5 -2 ||| -4.2`. Word alignments
// (before the features or after the score) and Marian's WordScores= are skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/text_io.h"

namespace dietmt::nmt {

struct ListedTranslation {
  std::string text;
  double score = 0.0;
  std::vector<double> features = {};  // of NBestReader::feature_names()
};

struct ListedSentence {
  std::string source;
  std::vector<ListedTranslation> translations;  // in the order of the list; one or more
};

class NBestReader {
 public:
  /// `source`: the text that was translated, or empty if the list is JSON and has it inside. The
  /// first line tells the form. Throws DataError if a file cannot be opened, or the first
  /// line has another form, and ConfigError if `source` is missing or superfluous.
  NBestReader(const std::string& list, const std::string& source);

  /// The features of the first line, which all lines must have. A feature with several values has
  /// a name for each: TM0.1, TM0.2.
  const std::vector<std::string>& feature_names() const { return feature_names_; }

  /// False at the end. Throws DataError, which names file and line, if a line has another form or
  /// other features, if a source line has no translations, or if translations have no source line.
  /// Texts have no line breaks.
  bool next(ListedSentence& sentence);

 private:
  bool next_of_json(ListedSentence& sentence);
  bool next_of_text(ListedSentence& sentence);
  void read_line();

  LineReader list_;
  std::optional<LineReader> source_;
  std::vector<std::string> feature_names_;
  std::string path_;
  std::string line_;  // of the list, which is not used yet
  bool has_line_ = false;
  bool is_json_ = false;
  int64_t sentences_ = 0;  // read
};

}  // namespace dietmt::nmt
