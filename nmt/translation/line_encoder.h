// Turns the text of a line into a request for a model: its tokens after a source tag, cut to the
// model's limit, with the terms of a glossary and the prefix that its translation must have. A line
// without text, or with nothing to translate, gets none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/text/glossary.h"
#include "data/text/source_tag.h"
#include "nmt/alignment/kept_kinds.h"
#include "nmt/model/languages.h"
#include "nmt/search/search_options.h"
#include "nmt/translation/line_request.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::nmt {

class LineEncoder {
 public:
  struct Tags {
    data::SourceTag source;
    std::vector<int32_t> target;  // the piece before each translation, or none
  };

  /// `model` must outlive the encoder. Throws DataError for a language that the model does not
  /// have, and if a tag is not a piece of the tokenizer.
  LineEncoder(const LoadedDecoder& model, const SearchOptions& search, LineOptions options);

  const LineOptions& options() const { return options_; }
  /// Whether the search aligns every line, not only those with markup.
  bool aligns_all() const { return aligns_; }
  int64_t most_source() const { return most_source_; }

  /// Throw DataError as the constructor does. Those of a line: also if the model needs a language
  /// that nobody has chosen. Without a choice, a line may begin with a tag itself.
  const Tags& tags_of(const LanguageChoice& choice);
  const Tags& tags_of(const LineRequest& line);
  /// Those of a line for which tags_of() has been called.
  const Tags& known_tags(const LineRequest& line) const {
    return tags_.at(languages_of(line.extras));
  }

  /// Whether encode() would cut the line.
  bool is_too_long(const std::string& line, const LineExtras& extras);

  /// Sets LineRequest::request for line.text() and what belongs to it, without document context.
  void encode(LineRequest& line, const Tags& tags) const;

  /// Makes the line its own translation, with its markup.
  void copy(LineRequest& line) const;

 private:
  const LanguageChoice& languages_of(const LineExtras& extras) const;
  bool is_copied(const LineRequest& line, KeptKinds keep) const;
  void add_tokens(LineRequest& line, const data::SourceTag& tag) const;
  const data::Glossary* glossary_of(const LineExtras& extras) const;
  void find_terms(LineRequest& line, const data::SourceTag& tag) const;
  void add_demands(LineRequest& line, const Tags& tags) const;
  void add_prefix(LineRequest& line) const;
  std::shared_ptr<const AvoidedTexts> avoided_texts(const std::vector<std::string>& texts) const;

  const LoadedDecoder& model_;
  const SearchOptions search_;
  const LineOptions options_;
  const bool aligns_;
  const bool reads_letters_;
  const int64_t most_source_;                          // in tokens
  const std::shared_ptr<const AvoidedTexts> avoided_;  // of LineOptions::avoid; null: none
  std::map<LanguageChoice, Tags> tags_;
};

}  // namespace dietmt::nmt
