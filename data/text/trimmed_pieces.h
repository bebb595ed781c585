// A vocabulary without the pieces that text does not need. Text that was read keeps its pieces, and
// what had pieces before still has some:
//
//   PieceTrimmer trimmer(tokenizer);
//   for (const std::string& line : lines) trimmer.use(line);
//   const std::vector<bool> kept = trimmer.kept();
//   trimmer.only(kept)->encode(lines[0]);  // the same pieces
//
// Why: of all ways to cut a text, a unigram model takes the likeliest, and the pieces that are gone
// were in none of those taken. BPE makes one merge after the other, and keeps the pieces of each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/sentencepiece_parts.h"

namespace dietmt::data {

/// The scripts, as ICU numbers them, that a language is written in. Throws DataError for a language
/// that ICU does not know. `code`: BCP 47.
std::set<int32_t> scripts_of(const std::string& code);

class PieceTrimmer {
 public:
  /// Throws DataError as SentencepieceParts does.
  explicit PieceTrimmer(std::shared_ptr<const Tokenizer> tokenizer);

  /// Keeps the pieces of a text.
  void use(std::string_view line);
  /// Keeps all pieces of these scripts and of none.
  void use_scripts(const std::set<int32_t>& scripts);
  /// Drops the characters of all other scripts, unless use() needs them.
  void drop_other_scripts(const std::set<int32_t>& scripts) { only_scripts_ = scripts; }
  /// Drops the tags of languages.
  void drop_tags(const std::set<std::string>& tags) { dropped_tags_ = tags; }

  /// Which ids are kept: those that were used, special ones, bytes, characters, and pieces that
  /// others are made of.
  std::vector<bool> kept() const;

  /// The tokenizer with only these ids, in their order.
  std::shared_ptr<const Tokenizer> only(const std::vector<bool>& kept) const;

 private:
  bool is_special(int32_t id) const;
  bool is_wanted(std::string_view piece) const;
  void keep(std::string_view piece, std::vector<bool>& kept) const;
  void keep_extremes(std::vector<bool>& kept) const;
  void keep_characters(std::vector<bool>& kept) const;
  void keep_merged(std::vector<bool>& kept) const;

  const std::shared_ptr<const Tokenizer> tokenizer_;
  const SentencepieceParts parts_;
  std::vector<bool> used_;  // by id
  std::optional<std::set<int32_t>> only_scripts_;
  std::set<std::string> dropped_tags_;
};

}  // namespace dietmt::data
