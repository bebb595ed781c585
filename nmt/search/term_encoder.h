// Turns terms of a glossary into constraints of a search.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/glossary.h"
#include "nmt/search/constraint_trie.h"
#include "nmt/search/search_options.h"

namespace dietmt::data {
class Tokenizer;
}

namespace dietmt::nmt {

/// The target side of a model's tokenizer. Tokens do not include end of sentence.
struct TargetPieces {
  std::function<std::vector<int32_t>(std::string_view)> encode;
  std::function<std::string(int32_t)> piece;
  int64_t vocabulary = 0;
  int32_t unknown = -1;  // -1: none

  /// Keeps a reference.
  static TargetPieces of(const data::Tokenizer& tokenizer);
};

/// The problem of options under which a search cannot have constraints, in one sentence that names
/// the option of `dietmt translate`; empty if there is none. The beam of a greedy search would
/// always hold the hypothesis with the most terms, and so begin with them.
std::string glossary_problem(const SearchOptions& options);

/// Safe to share between threads.
class TermEncoder {
 public:
  explicit TermEncoder(TargetPieces pieces);

  /// Each term, in order, as the token sequences of its written forms. A term that the vocabulary
  /// cannot write, and each one beyond the limits of TermConstraints, is left out.
  TermConstraints constraints(std::span<const data::GlossaryTerm* const> terms) const;

 private:
  void add(const std::string& form, Constraint& sequences) const;
  std::vector<int32_t> encode_inside(const std::string& form) const;

  const TargetPieces pieces_;
  std::shared_ptr<const WordPieces> words_;
};

}  // namespace dietmt::nmt
