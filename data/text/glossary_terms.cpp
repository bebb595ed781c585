#include "data/text/glossary_terms.h"

#include <algorithm>

#include "common/error.h"
#include "common/text_io.h"
#include "data/text/word_text.h"

namespace dietmt::data {
namespace {

constexpr char kOr = '|';

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

// The term with single spaces.
std::string checked(std::string_view text, const char* side) {
  const size_t bad = invalid_utf8_at(text);
  if (bad != std::string_view::npos)
    throw DataError(std::string("the ") + side + " term is not UTF-8 at byte " +
                    std::to_string(bad + 1));
  const std::u32string characters = WordText(text).characters;
  if (characters.empty()) throw DataError(std::string("the ") + side + " term is empty");
  if (characters.size() > GlossaryTerm::kMaxCharacters)
    throw DataError(std::string("the ") + side + " term has " + std::to_string(characters.size()) +
                    " characters; the limit is " + std::to_string(GlossaryTerm::kMaxCharacters));
  return utf8_of(characters);
}

}  // namespace

std::string GlossaryTerm::target_text() const {
  std::string text;
  for (const std::string& target : targets) text += (text.empty() ? "" : "|") + target;
  return text;
}

GlossaryTerm glossary_term(std::string_view source, std::string_view target) {
  GlossaryTerm term{checked(source, "source"), {}};
  for (size_t at = 0; at <= target.size();) {
    const size_t end = std::min(target.find(kOr, at), target.size());
    term.targets.push_back(checked(target.substr(at, end - at), "target"));
    at = end + 1;
  }
  if (term.targets.size() > GlossaryTerm::kMaxTargets)
    throw DataError(std::to_string(term.targets.size()) + " target terms for " +
                    in_quotes(term.source) + "; the limit is " +
                    std::to_string(GlossaryTerm::kMaxTargets));
  return term;
}

void GlossaryTerms::add(int64_t line, std::string_view source, std::string_view target) {
  try {
    terms_.push_back(glossary_term(source, target));
  } catch (const DataError& error) {
    throw DataError(where(line) + ": " + error.what());
  }
  const auto [first, is_new] = lines_.emplace(terms_.back().source, line);
  if (!is_new)
    throw DataError(where(line) + ": " + in_quotes(terms_.back().source) + " is already in line " +
                    std::to_string(first->second) +
                    "; write several target terms in one line, with | between them");
}

void GlossaryTerms::add_line(int64_t line, std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.empty()) return;
  const size_t tab = text.find('\t');
  const bool is_second = tab != text.npos && text.find('\t', tab + 1) != text.npos;
  if (tab == text.npos || is_second)
    throw DataError(where(line) + (is_second ? ": a second tab" : ": no tab") +
                    ": write a source term, a tab and a target term");
  add(line, text.substr(0, tab), text.substr(tab + 1));
}

std::vector<GlossaryTerm> terms_of_lines(std::string_view lines, const std::string& name) {
  GlossaryTerms terms(name);
  int64_t number = 0;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    terms.add_line(++number, lines.substr(begin, end - begin));
    begin = end + 1;
  }
  return std::move(terms).take();
}

std::string lines_of_terms(const std::vector<GlossaryTerm>& terms) {
  std::string lines;
  for (const GlossaryTerm& term : terms)
    lines += (lines.empty() ? "" : "\n") + term.source + "\t" + term.target_text();
  return lines;
}

}  // namespace dietmt::data
