// Terms and their translations: which of them a line has, and whether its translation has theirs.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dietmt::data {

struct GlossaryTerm {
  static constexpr size_t kMaxCharacters = 200;  // of each term
  static constexpr size_t kMaxTargets = 16;

  std::string source;
  std::vector<std::string> targets;  // one of these must be in the translation

  /// The targets as a glossary file has them.
  std::string target_text() const;
};

/// `source` and the `|` separated `target`. Throws DataError, which says what is wrong with them.
GlossaryTerm glossary_term(std::string_view source, std::string_view target);

/// Immutable; safe to share between threads.
class Glossary {
 public:
  Glossary() = default;

  /// Throws DataError if two terms have the same source.
  explicit Glossary(std::vector<GlossaryTerm> terms);

  /// A UTF-8 file with a term, a tab and its translation in each line. Several translations with
  /// `|` between them: any of these. Empty lines and lines that begin with # do not count. Throws
  /// DataError naming file and line.
  static Glossary read(const std::string& file);

  const std::vector<GlossaryTerm>& terms() const { return terms_; }

  /// The terms that occur in a line, from left to right, one for each occurrence: whole words, and
  /// at each place the longest term. A term without capital letters is found in any case, others
  /// only as they are written. They live as long as the glossary.
  std::vector<const GlossaryTerm*> find(std::string_view line) const;

 private:
  const GlossaryTerm* term_at(std::u32string_view characters, std::u32string_view folded) const;

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::u32string_view text) const {
      return std::hash<std::u32string_view>()(text);
    }
  };
  struct Entry {
    std::u32string source;
    bool is_exact;  // it has capital letters
    size_t term;    // its index
  };

  std::vector<GlossaryTerm> terms_;
  std::unordered_map<std::u32string, std::vector<Entry>, Hash, std::equal_to<>> entries_;  // folded
  std::unordered_map<char32_t, std::vector<size_t>> lengths_;  // by first character; longest first
};

/// The forms in which a target may be written: as it is and, if it begins with a small letter, with
/// a capital one, as at the start of a sentence.
std::vector<std::string> written_forms(const std::string& target);

/// Those of `terms`, one for each occurrence in the source, that the translation lacks. From left
/// to right, the longest whole words count for one term.
std::vector<const GlossaryTerm*> missing_terms(std::span<const GlossaryTerm* const> terms,
                                               std::string_view translation);

}  // namespace dietmt::data
