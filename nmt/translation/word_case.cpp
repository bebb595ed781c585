#include "nmt/translation/word_case.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "common/ascii.h"
#include "nmt/translation/letter_case.h"

namespace dietmt::nmt {
namespace {

std::string_view text_of(std::string_view text, data::TextSpan word) {
  return text.substr(static_cast<size_t>(word.begin), static_cast<size_t>(word.end - word.begin));
}

// Whether a character may touch a word that is plain text. A word that touches other signs or a
// digit belongs to a name, code or an address.
bool is_beside_word(UChar32 code) {
  constexpr std::string_view kAscii = "!\"'(),-.:;?*";
  return code < 0x80 ? kAscii.find(static_cast<char>(code)) != std::string_view::npos
                     : u_ispunct(code) != 0;
}

// The letters of a word without the punctuation around it; empty if it has several parts.
std::string_view letters_in(std::string_view word) {
  std::string_view found;
  bool is_single = true;
  for_each_word(word, [&](std::string_view part, bool is_word) {
    if (is_word) {
      is_single = is_single && found.empty();
      found = part;
      return;
    }
    while (is_single && !part.empty()) {
      const data::Character one = data::first_character_of(part);
      is_single = is_beside_word(one.code);
      part.remove_prefix(one.bytes);
    }
  });
  return is_single ? found : std::string_view();
}

enum class Emphasis { kNone, kPossible, kClear };

// Whether a word in capitals is emphasized. Most are acronyms; a long word whose
// small letters are a piece, but not its capitals, is none.
Emphasis emphasis_of(std::string_view word, const data::Tokenizer& tokenizer) {
  const Letters letters = letters_of(word);
  if (letters.capitals == 0 || letters.capitals != letters.count) return Emphasis::kNone;
  if (letters.count == 1) return Emphasis::kPossible;
  if (cost_of(small_letters(word, false), tokenizer) > 1) return Emphasis::kNone;
  const bool is_clear = letters.count >= kLongWord && cost_of(word, tokenizer) > 1;
  return is_clear ? Emphasis::kClear : Emphasis::kPossible;
}

// If one of several neighbouring words is clearly emphasized, all are: DO NOT OPEN. A single letter
// at an end is not.
void mark_run(std::span<const std::string_view> letters, std::span<const Emphasis> emphasis,
              std::span<WordCase> words) {
  if (std::ranges::find(emphasis, Emphasis::kClear) == emphasis.end()) return;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool is_inside = i > 0 && i + 1 < words.size();
    if (is_inside || letters_of(letters[i]).count > 1) words[i].wanted = LineCase::kCapitals;
  }
}

void mark_emphasis(std::span<const std::string_view> letters, std::span<WordCase> words,
                   const data::Tokenizer& tokenizer) {
  std::vector<Emphasis> emphasis;
  for (const std::string_view word : letters) emphasis.push_back(emphasis_of(word, tokenizer));
  for (size_t begin = 0; begin < words.size();) {
    size_t end = begin;
    while (end < words.size() && emphasis[end] != Emphasis::kNone) ++end;
    const size_t count = end - begin;
    mark_run(letters.subspan(begin, count), std::span(emphasis).subspan(begin, count),
             words.subspan(begin, count));
    begin = end + 1;
  }
}

std::string with_capitals(std::string_view word, size_t most) {
  std::string made;
  while (!word.empty()) {
    const data::Character one = data::first_character_of(word);
    const bool is_raised = most > 0 && u_isalpha(one.code);
    made += of_same_size(word, one, is_raised ? u_toupper(one.code) : one.code);
    if (is_raised) --most;
    word.remove_prefix(one.bytes);
  }
  return made;
}

// For each word of the source, whether one aligned to it is in capitals already.
std::vector<bool> kept_capitals(std::string_view translation,
                                std::span<const data::TextSpan> targets,
                                std::span<const WordPair> pairs, size_t sources) {
  std::vector<bool> kept(sources);
  for (const WordPair& pair : pairs) {
    const Letters letters =
        letters_of(text_of(translation, targets[static_cast<size_t>(pair.target)]));
    if (letters.capitals >= 2 && letters.small == 0) kept[static_cast<size_t>(pair.source)] = true;
  }
  return kept;
}

// How many letters of a target word become capital.
size_t raised_letters(std::string_view target, const WordCase& source) {
  if (source.wanted == LineCase::kTitle)
    return letters_of(target).count >= kLongWord || !source.is_long ? 1 : 0;
  return source.wanted == LineCase::kCapitals ? target.size() : 0;
}

}  // namespace

std::vector<WordCase> cases_of_words(std::string_view text, LineCase line,
                                     const data::Tokenizer& tokenizer) {
  std::vector<WordCase> words;
  std::vector<std::string_view> letters;
  for (const data::TextSpan span : words_of(text)) {
    const std::string_view word = text_of(text, span);
    const Letters all = letters_of(word);
    letters.push_back(letters_in(word));
    const bool is_title = line == LineCase::kTitle && all.begins_with_capital;
    words.push_back({.wanted = is_title ? LineCase::kTitle : LineCase::kUsual,
                     .is_long = all.count >= kLongWord || all.capitals > 1});
  }
  if (line == LineCase::kUsual) mark_emphasis(letters, words, tokenizer);
  const bool any = std::ranges::any_of(
      words, [](const WordCase& word) { return word.wanted != LineCase::kUsual; });
  return any ? words : std::vector<WordCase>();
}

std::string without_emphasis(std::string_view text, std::span<const WordCase> words) {
  std::string usual(text);
  const std::vector<data::TextSpan> spans = words_of(text);
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].wanted != LineCase::kCapitals) continue;
    const std::string_view word = text_of(text, spans[i]);
    usual.replace(static_cast<size_t>(spans[i].begin), word.size(), small_letters(word, i == 0));
  }
  return usual;
}

std::string in_case_of_words(std::string_view translation, std::span<const WordPair> pairs,
                             std::span<const WordCase> source) {
  const std::vector<data::TextSpan> targets = words_of(translation);
  const std::vector<bool> kept = kept_capitals(translation, targets, pairs, source.size());
  const bool is_title =
      std::ranges::find(source, LineCase::kTitle, &WordCase::wanted) != source.end();
  std::string made(translation);
  for (const WordPair& pair : pairs) {
    const data::TextSpan span = targets[static_cast<size_t>(pair.target)];
    const std::string_view word = text_of(translation, span);
    const auto from = static_cast<size_t>(pair.source);
    if (kept[from]) continue;
    const size_t most = is_title && pair.target == 0 ? 1 : raised_letters(word, source[from]);
    made.replace(static_cast<size_t>(span.begin), word.size(), with_capitals(word, most));
  }
  return made;
}

}  // namespace dietmt::nmt
