// Terms and their translations: which of them a line has, and whether its translation has theirs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text/glossary_terms.h"
#include "data/text/word_text.h"

namespace dietmt::data {

/// Immutable; safe to share between threads.
class Glossary {
 public:
  static constexpr size_t kMostFound = 1000;

  Glossary() = default;

  /// Throws DataError if two terms have the same source.
  explicit Glossary(std::vector<GlossaryTerm> terms);

  /// A UTF-8 file with a term, a tab and its translation in each line. Several translations with
  /// `|` between them: any of these. Empty lines and lines that begin with # do not count. Throws
  /// DataError naming file and line.
  static Glossary read(const std::string& file);

  const std::vector<GlossaryTerm>& terms() const { return terms_; }

  /// The first kMostFound terms that occur in a line, from left to right, one for each occurrence:
  /// whole words, and at each place the longest term. A term without capital letters is found in
  /// any case, others only as they are written. They live as long as the glossary. The time is that
  /// of the line, whatever the glossary has: at most GlossaryTerm::kMaxCharacters steps in a place,
  /// each of the logarithm of the number of terms.
  std::vector<const GlossaryTerm*> find(std::string_view line) const;

 private:
  struct Entry {
    std::u32string folded;
    std::u32string source;
    bool in_any_case = true;  // it has no capital letters
    size_t term = 0;          // its index
  };
  using Entries = std::span<const Entry>;

  static Entries with_character(Entries entries, size_t at, char32_t character);
  const GlossaryTerm* written_as(std::u32string_view characters, Entries same) const;
  std::pair<const GlossaryTerm*, size_t> longest_at(size_t at, const WordText& text,
                                                    std::u32string_view folded) const;

  std::vector<GlossaryTerm> terms_;
  std::vector<Entry> entries_;  // by folded and source
};

/// The forms in which a target may be written: as it is and, if it begins with a small letter, with
/// a capital one, as at the start of a sentence.
std::vector<std::string> written_forms(const std::string& target);

/// Those of `terms`, one for each occurrence in the source, that the translation lacks. From left
/// to right, the longest whole words count for one term.
std::vector<const GlossaryTerm*> missing_terms(std::span<const GlossaryTerm* const> terms,
                                               std::string_view translation);

}  // namespace dietmt::data
