// Turns glossary terms into constraints of a search.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/glossary.h"
#include "data/text/tokenizer.h"
#include "nmt/search/constraint_trie.h"
#include "nmt/search/search_options.h"

namespace dietmt::nmt {

/// Why a search with these options cannot have constraints, in one sentence naming the option of
/// `dietmt translate`; "" if it can. A greedy search would always keep the hypothesis with the most
/// terms, and so begin with them.
std::string glossary_problem(const SearchOptions& options);

/// Thread-safe.
class TermEncoder {
 public:
  /// `target`: the model's; the encoder keeps a reference.
  explicit TermEncoder(const data::Tokenizer& target);

  /// Each term, in order, as the token sequences of its written forms. Terms that the vocabulary
  /// cannot write are left out, and so are those beyond the limits of TermConstraints or of a
  /// translation of `most_length` tokens.
  TermConstraints constraints(std::span<const data::GlossaryTerm* const> terms,
                              int64_t most_length) const;

 private:
  void add(const std::string& form, Constraint& sequences) const;
  std::vector<int32_t> encode_inside(const std::string& form) const;

  const data::Tokenizer& tokenizer_;
  std::shared_ptr<const WordPieces> words_;
};

}  // namespace dietmt::nmt
