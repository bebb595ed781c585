#include "data/text/glossary.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "common/error.h"
#include "common/text_io.h"

namespace dietmt::data {
namespace {

std::u32string folded_text(std::u32string_view characters) {
  std::u32string text(characters);
  std::ranges::transform(text, text.begin(), folded);
  return text;
}

using NoTerm = std::pair<const GlossaryTerm*, size_t>;

std::vector<GlossaryTerm> terms_of_file(const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  LineReader reader(file, kMaxLineBytes);
  GlossaryTerms terms(file);
  for (std::string line; reader.next(line);) {
    std::string_view text = line;
    if (reader.line_number() == 1 && text.starts_with(kByteOrderMark))
      text.remove_prefix(kByteOrderMark.size());
    if (!text.starts_with('#')) terms.add_line(reader.line_number(), text);
  }
  return std::move(terms).take();
}

}  // namespace

Glossary::Glossary(std::vector<GlossaryTerm> terms) : terms_(std::move(terms)) {
  for (size_t i = 0; i < terms_.size(); ++i) {
    std::u32string source = characters_of(terms_[i].source);
    std::u32string folded = folded_text(source);
    const bool in_any_case = std::ranges::none_of(source, is_capital);
    entries_.push_back({std::move(folded), std::move(source), in_any_case, i});
  }
  const auto key = [](const Entry& one) { return std::tie(one.folded, one.source); };
  std::ranges::sort(entries_, std::ranges::less(), key);
  const auto same = std::ranges::adjacent_find(entries_, std::ranges::equal_to(), key);
  if (same != entries_.end())
    throw DataError("two entries for \"" + terms_[same->term].source +
                    "\"; write several target terms in one entry, with | between them");
}

Glossary Glossary::read(const std::string& file) { return Glossary(terms_of_file(file)); }

std::vector<const GlossaryTerm*> Glossary::find(std::string_view line) const {
  std::vector<const GlossaryTerm*> found;
  if (terms_.empty()) return found;
  const WordText text(line);
  const std::u32string folded = folded_text(text.characters);
  for (size_t at = 0; at < folded.size() && found.size() < kMostFound;) {
    const auto [term, length] = text.is_edge(at) ? longest_at(at, text, folded) : NoTerm();
    if (term != nullptr) found.push_back(term);
    at += std::max<size_t>(length, 1);
  }
  return found;
}

// Narrows the sorted entries to those that begin like the text, character by character.
std::pair<const GlossaryTerm*, size_t> Glossary::longest_at(size_t at, const WordText& text,
                                                            std::u32string_view folded) const {
  const std::u32string_view characters = text.characters;
  std::pair<const GlossaryTerm*, size_t> longest = NoTerm();
  Entries entries = entries_;
  for (size_t length = 1; at + length <= folded.size(); ++length) {
    entries = with_character(entries, length - 1, folded[at + length - 1]);
    if (entries.empty()) break;
    if (entries.front().folded.size() > length || !text.is_edge(at + length)) continue;
    const auto longer = std::ranges::partition_point(
        entries, [&](const Entry& one) { return one.folded.size() == length; });
    const GlossaryTerm* const term =
        written_as(characters.substr(at, length), Entries(entries.begin(), longer));
    if (term != nullptr) longest = {term, length};
  }
  return longest;
}

// Those of `entries`, sorted and equal in the first `at` characters, with this character next.
Glossary::Entries Glossary::with_character(Entries entries, size_t at, char32_t character) {
  const auto value = [at](const Entry& one) {
    return one.folded.size() > at ? int64_t{one.folded[at]} : -1;
  };
  const auto found =
      std::ranges::equal_range(entries, int64_t{character}, std::ranges::less(), value);
  return {found.begin(), found.end()};
}

// The term as it is written goes before one that is found in any case.
const GlossaryTerm* Glossary::written_as(std::u32string_view characters, Entries same) const {
  const auto find = [&](std::u32string_view source) -> const GlossaryTerm* {
    const auto found =
        std::ranges::lower_bound(same, source, std::ranges::less(),
                                 [](const Entry& one) { return std::u32string_view(one.source); });
    return found != same.end() && found->source == source ? &terms_[found->term] : nullptr;
  };
  if (const GlossaryTerm* const exact = find(characters)) return exact;
  const auto other = std::ranges::find(same, true, &Entry::in_any_case);
  return other != same.end() ? &terms_[other->term] : nullptr;
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
  std::vector<std::vector<std::string>> forms(terms.size());
  for (size_t i = 0; i < terms.size(); ++i)
    for (const std::string& target : terms[i]->targets)
      std::ranges::move(written_forms(target), std::back_inserter(forms[i]));
  // A form of several terms is that of the one with the fewest others, as in the search.
  std::vector<size_t> order(terms.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return forms[i].size(); });
  std::map<std::u32string, std::deque<size_t>, std::less<>> terms_of;
  std::set<size_t, std::greater<>> lengths;
  for (const size_t i : order) {
    for (const std::string& form : forms[i]) {
      const std::u32string characters = characters_of(form);
      terms_of[characters].push_back(i);
      lengths.insert(characters.size());
    }
  }
  std::vector<bool> is_there(terms.size());
  // The length of the longest form at a word's edge that a term still lacks, which then has it.
  const auto take = [&](size_t at) -> size_t {
    for (const size_t length : lengths) {
      if (at + length > text.characters.size() || !text.is_edge(at + length)) continue;
      const auto form = terms_of.find(std::u32string_view(text.characters).substr(at, length));
      if (form == terms_of.end()) continue;
      std::deque<size_t>& lacking = form->second;
      while (!lacking.empty() && is_there[lacking.front()]) lacking.pop_front();
      if (lacking.empty()) continue;
      is_there[lacking.front()] = true;
      return length;
    }
    return 0;
  };
  for (size_t at = 0; at < text.characters.size();)
    at += std::max<size_t>(1, text.is_edge(at) ? take(at) : 0);
  std::vector<const GlossaryTerm*> missing;
  for (size_t i = 0; i < terms.size(); ++i)
    if (!is_there[i]) missing.push_back(terms[i]);
  return missing;
}

}  // namespace dietmt::data
