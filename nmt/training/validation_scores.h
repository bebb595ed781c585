// Validation by translating: BLEU, chrF and the score of a command.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nmt/model/languages.h"
#include "nmt/search/search_options.h"

namespace dietmt::nmt {

struct ValidationText {
  std::vector<std::string> sources;
  std::vector<std::string> references;
  LanguageChoice languages = {};
};

struct ValidationOptions {
  std::vector<ValidationText> texts;  // none: only the loss is measured
  std::string tokenizer = "13a";      // of BLEU; "none" for tokenized text
  bool lowercase = false;             // of BLEU and chrF
  bool remove_bpe = false;            // join words that the text's own BPE has cut
  /// COMET scores of the segments of a text; may be empty.
  std::function<std::vector<double>(const std::vector<std::string>& sources,
                                    const std::vector<std::string>& references,
                                    const std::vector<std::string>& translations)>
      comet;
  std::string command;           // its last line on stdout is a score; empty: none
  std::filesystem::path output;  // where translations stay; of several texts FILE.1, FILE.2
  SearchOptions search;
};

/// Scores that not every run has.
struct MoreScores {
  bool comet = false;
  bool command = false;
};

/// "bleu", "chrf" and "comet" of all lines; "bleu_1", "chrf_1" and so on of each text if there are
/// several; "command".
std::vector<std::string> names_of_scores(size_t texts, MoreScores more);

/// These scores. `translate` translates the sources of a text. A command that fails or prints no
/// number gets a warning and scores NaN.
std::map<std::string, double> translation_scores(
    const ValidationOptions& options,
    const std::function<std::vector<std::string>(const ValidationText&)>& translate);

}  // namespace dietmt::nmt
