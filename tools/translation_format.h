// What `dietmt translate` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/translation/loaded_decoder.h"
#include "nmt/translation/translation_stream.h"

namespace dietmt::tools {

struct TranslationForm {
  int64_t nbest = 1;  // above 1: `line ||| text ||| score`
  bool scores = false;
  bool json = false;
  bool markup = false;             // put back what StreamOptions::markup took out
  bool remove_bpe = false;         // join words that the text's own BPE has cut
  std::string alignment = "none";  // hard, soft
  // JSON has these for a glossary, and for two models.
  bool missing_terms = false;
  bool missing_copies = false;  // and for --check copies
  bool pivot = false;
};

class TranslationFormatter {
 public:
  /// Keeps references to the tokenizers.
  TranslationFormatter(TranslationForm form, const nmt::LoadedDecoder& loaded)
      : form_(std::move(form)),
        source_tokenizer_(*loaded.source_tokenizer),
        tokenizer_(*loaded.target_tokenizer) {}

  /// The output for one input line, without its last line feed.
  std::string operator()(const nmt::TranslatedLine& line) const;

  /// Names each number, address and name of the source that the best translation lacks.
  void warn_of_missing_copies(const nmt::TranslatedLine& line) const;

 private:
  std::vector<std::string> missing_copies(const nmt::TranslatedLine& line,
                                          const nmt::Hypothesis& found) const;
  std::string words(const nmt::TranslatedLine& line, const nmt::Hypothesis& found) const;
  std::string alignment(const nmt::TranslatedLine& line, const nmt::Hypothesis& found) const;
  std::string json(const nmt::TranslatedLine& line) const;
  nlohmann::ordered_json json_alignment(const nmt::TranslatedLine& line,
                                        const nmt::Hypothesis& found) const;

  TranslationForm form_;
  const data::Tokenizer& source_tokenizer_;
  const data::Tokenizer& tokenizer_;
};

/// Names each term of the glossary that the best translation lacks.
void warn_of_missing_terms(const nmt::TranslatedLine& line, const data::Tokenizer& tokenizer);

}  // namespace dietmt::tools
