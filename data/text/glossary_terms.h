// The terms of a glossary, and lists of them as text.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Collects the terms of lines. Throws DataError naming the line, also if an earlier one has the
/// same source.
class GlossaryTerms {
 public:
  /// `name`: of the file or field, for errors.
  explicit GlossaryTerms(std::string name) : name_(std::move(name)) {}

  void add(int64_t line, std::string_view source, std::string_view target);

  /// A line with a source term, a tab and a target term, or an empty one; "\r" may follow.
  void add_line(int64_t line, std::string_view text);

  std::vector<GlossaryTerm> take() && { return std::move(terms_); }

 private:
  std::string where(int64_t line) const { return name_ + ":" + std::to_string(line); }

  std::string name_;
  std::vector<GlossaryTerm> terms_;
  std::unordered_map<std::string, int64_t> lines_;  // of the sources
};

/// Terms from lines as of GlossaryTerms::add_line(), and their lines.
std::vector<GlossaryTerm> terms_of_lines(std::string_view lines, const std::string& name);
std::string lines_of_terms(const std::vector<GlossaryTerm>& terms);

}  // namespace dietmt::data
