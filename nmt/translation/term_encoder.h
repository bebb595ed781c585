// Turns terms of a glossary into constraints of a search.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/glossary.h"
#include "data/text/tokenizer.h"
#include "nmt/search/constraint_trie.h"
#include "nmt/search/search_options.h"

namespace dietmt::nmt {

/// The problem of options under which a search cannot have constraints, in one sentence that names
/// the option of `dietmt translate`; empty if there is none. The beam of a greedy search would
/// always hold the hypothesis with the most terms, and so begin with them.
std::string glossary_problem(const SearchOptions& options);

/// Safe to share between threads.
class TermEncoder {
 public:
  /// `target`: of the model, to which the encoder keeps a reference.
  explicit TermEncoder(const data::Tokenizer& target);

  /// Each term, in order, as the token sequences of its written forms. A term that the vocabulary
  /// cannot write, and each one beyond the limits of TermConstraints, is left out.
  TermConstraints constraints(std::span<const data::GlossaryTerm* const> terms) const;

 private:
  void add(const std::string& form, Constraint& sequences) const;
  std::vector<int32_t> encode_inside(const std::string& form) const;

  const data::Tokenizer& tokenizer_;
  std::shared_ptr<const WordPieces> words_;
};

/// The encoder of a model, made by the first glossary: it reads the whole vocabulary.
class FirstTermEncoder {
 public:
  /// From any thread.
  const TermEncoder& of(const data::Tokenizer& target) {
    std::call_once(made_, [&] { encoder_.emplace(target); });
    return *encoder_;
  }

 private:
  std::once_flag made_;
  std::optional<const TermEncoder> encoder_;
};

}  // namespace dietmt::nmt
