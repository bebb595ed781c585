#include "nmt/alignment/text_segments.h"

#include "nmt/alignment/text_shape.h"
#include "nmt/alignment/word_alignment.h"

namespace dietmt::nmt {

Segments::Segments(std::string_view whole) : text(whole), spans(segments_of(whole)) {
  for (size_t i = 0; i < spans.size(); ++i) are_words.push_back(has_word(at(i)));
}

Run Segments::inside_punctuation(Run within) const {
  const auto skip = [&](size_t part, auto&& is_one) {
    while (part < within.last && is_one(first_character(at(part)))) ++part;
    return part;
  };
  const auto skip_back = [&](size_t part, auto&& is_one) {
    while (part > within.first && is_one(first_character(at(part - 1)))) --part;
    return part;
  };
  const size_t before = skip(within.first, opens), after = skip(before, starts_sentence);
  const size_t last = skip_back(within.last, closes), end = skip_back(last, ends_phrase);
  return {before < after ? after : within.first, end < last ? end : within.last};
}

bool Segments::divides_word(size_t part) const {
  return part > 0 && (links_words(part - 1) || links_words(part));
}

bool Segments::links_words(size_t part) const {
  if (part == 0 || part + 1 >= spans.size() || are_words[part]) return false;
  const char32_t c = first_character(at(part));
  return are_words[part - 1] && are_words[part + 1] && is_written_together(c) && !ends_phrase(c) &&
         !opens(c) && !closes(c) && spans[part - 1].end == spans[part].begin &&
         spans[part].end == spans[part + 1].begin;
}

}  // namespace dietmt::nmt
