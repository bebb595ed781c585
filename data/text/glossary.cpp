#include "data/text/glossary.h"

#include <algorithm>

#include "common/error.h"
#include "common/text_io.h"
#include "data/text/word_text.h"

namespace dietmt::data {
namespace {

constexpr char kOr = '|';

std::u32string folded_text(std::u32string_view characters) {
  std::u32string text(characters);
  std::ranges::transform(text, text.begin(), folded);
  return text;
}

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
                    " characters; the most is " + std::to_string(GlossaryTerm::kMaxCharacters));
  return utf8_of(characters);
}

GlossaryTerm term_of_line(std::string_view line) {
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos)
    throw DataError("no tab: write a source term, a tab and a target term");
  const std::string_view target = line.substr(tab + 1);
  if (target.find('\t') != std::string_view::npos)
    throw DataError("a second tab: write a source term, a tab and a target term");
  return glossary_term(line.substr(0, tab), target);
}

std::vector<GlossaryTerm> terms_of_file(const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  LineReader reader(file, kMaxLineBytes);
  std::vector<GlossaryTerm> terms;
  std::unordered_map<std::string, int64_t> lines;  // of the sources
  for (std::string line; reader.next(line);) {
    std::string_view text = line;
    if (reader.line_number() == 1 && text.starts_with(kByteOrderMark))
      text.remove_prefix(kByteOrderMark.size());
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty() || text.starts_with('#')) continue;
    try {
      terms.push_back(term_of_line(text));
    } catch (const DataError& error) {
      throw DataError(reader.where() + ": " + error.what());
    }
    const auto [first, is_new] = lines.emplace(terms.back().source, reader.line_number());
    if (!is_new)
      throw DataError(reader.where() + ": " + in_quotes(terms.back().source) +
                      " is already in line " + std::to_string(first->second) +
                      "; write several target terms in one line, with | between them");
  }
  return terms;
}

// How many characters of `text` from `at` on are `form` as whole words; 0: they are not.
size_t length_at(const WordText& text, size_t at, const std::u32string& form) {
  const bool is_there = std::u32string_view(text.characters).substr(at).starts_with(form) &&
                        text.is_edge(at) && text.is_edge(at + form.size());
  return is_there ? form.size() : 0;
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
                    in_quotes(term.source) + "; the most is " +
                    std::to_string(GlossaryTerm::kMaxTargets));
  return term;
}

Glossary::Glossary(std::vector<GlossaryTerm> terms) : terms_(std::move(terms)) {
  for (size_t i = 0; i < terms_.size(); ++i) {
    const std::u32string source = characters_of(terms_[i].source);
    const std::u32string key = folded_text(source);
    std::vector<Entry>& same = entries_[key];
    for (const Entry& other : same) {
      if (other.source == source)
        throw DataError("two entries for " + in_quotes(terms_[i].source) +
                        "; write several target terms in one entry, with | between them");
    }
    same.push_back({source, source != key, i});
    lengths_[key.front()].push_back(key.size());
  }
  for (auto& [first, lengths] : lengths_) {
    std::ranges::sort(lengths, std::greater());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  }
}

Glossary Glossary::read(const std::string& file) { return Glossary(terms_of_file(file)); }

std::vector<const GlossaryTerm*> Glossary::find(std::string_view line) const {
  std::vector<const GlossaryTerm*> found;
  if (terms_.empty()) return found;
  const WordText text(line);
  const std::u32string_view characters = text.characters;
  const std::u32string key = folded_text(characters);
  for (size_t at = 0; at < key.size();) {
    const auto lengths = lengths_.find(key[at]);
    size_t next = at + 1;
    if (lengths != lengths_.end() && text.is_edge(at)) {
      for (const size_t length : lengths->second) {
        if (length > key.size() - at || !text.is_edge(at + length)) continue;
        const GlossaryTerm* term =
            term_at(characters.substr(at, length), std::u32string_view(key).substr(at, length));
        if (term == nullptr) continue;
        found.push_back(term);
        next = at + length;
        break;
      }
    }
    at = next;
  }
  return found;
}

// The term as it is written goes before one that is found in any case.
const GlossaryTerm* Glossary::term_at(std::u32string_view characters,
                                      std::u32string_view folded) const {
  const auto entries = entries_.find(folded);
  if (entries == entries_.end()) return nullptr;
  const GlossaryTerm* found = nullptr;
  for (const Entry& entry : entries->second) {
    if (entry.source == characters) return &terms_[entry.term];
    if (!entry.is_exact) found = &terms_[entry.term];
  }
  return found;
}

std::vector<std::string> written_forms(const std::string& target) {
  std::u32string characters = characters_of(target);
  characters.front() = capital(characters.front());
  const std::string capitalized = utf8_of(characters);
  if (capitalized == target) return {target};
  return {target, capitalized};
}

std::vector<const GlossaryTerm*> missing_terms(std::span<const GlossaryTerm* const> terms,
                                               std::string_view translation) {
  const WordText text(translation);
  std::vector<const GlossaryTerm*> missing(terms.begin(), terms.end());
  std::vector<std::vector<std::u32string>> forms;
  for (const GlossaryTerm* term : terms) {
    forms.emplace_back();
    for (const std::string& target : term->targets)
      for (const std::string& form : written_forms(target))
        forms.back().push_back(characters_of(form));
  }
  for (size_t at = 0; at < text.characters.size() && !missing.empty();) {
    size_t longest = 0, which = 0;
    for (size_t i = 0; i < missing.size(); ++i) {
      for (const std::u32string& form : forms[i]) {
        const size_t length = length_at(text, at, form);
        if (length > longest) {
          longest = length;
          which = i;
        }
      }
    }
    if (longest > 0) {
      missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(which));
      forms.erase(forms.begin() + static_cast<std::ptrdiff_t>(which));
    }
    at += std::max<size_t>(1, longest);
  }
  return missing;
}

}  // namespace dietmt::data
