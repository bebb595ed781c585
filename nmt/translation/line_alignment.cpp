#include "nmt/translation/line_alignment.h"

#include <algorithm>

#include "nmt/translation/text_lines.h"

namespace dietmt::nmt {
namespace {

// Those of a tag before the line.
size_t tag_tokens(const TranslatedLine& line) {
  const auto& spans = line.pieces.spans;
  const auto first = std::ranges::find_if(spans, [](const auto& span) { return span.begin >= 0; });
  return static_cast<size_t>(first - spans.begin());
}

}  // namespace

std::vector<WordPair> word_pairs(const TranslatedLine& line, const Hypothesis& translation,
                                 const data::Tokenizer& target_tokenizer) {
  if (translation.attention.empty()) return {};
  const data::SpannedText target = decode_line_with_spans(target_tokenizer, translation.ids);
  return align_words({line.source, line.pieces.spans}, {target.text, target.spans},
                     translation.attention);
}

std::vector<std::vector<float>> token_rows(const TranslatedLine& line,
                                           const Hypothesis& translation) {
  std::vector<std::vector<float>> rows;
  const size_t sources = line.pieces.ids.size();
  const size_t first = tag_tokens(line);
  for (size_t at = 0; at < translation.attention.size(); at += sources) {
    const auto row = translation.attention.begin() + static_cast<std::ptrdiff_t>(at);
    rows.emplace_back(row + static_cast<std::ptrdiff_t>(first),
                      row + static_cast<std::ptrdiff_t>(sources));
  }
  return rows;
}

std::vector<std::string> source_pieces(const TranslatedLine& line,
                                       const data::Tokenizer& source_tokenizer) {
  std::vector<std::string> pieces;
  for (size_t i = tag_tokens(line); i < line.pieces.ids.size(); ++i)
    pieces.push_back(source_tokenizer.piece(line.pieces.ids[i]));
  return pieces;
}

std::string with_markup(const TranslatedLine& line, const Hypothesis& translation,
                        const data::Tokenizer& target_tokenizer) {
  if (translation.attention.empty()) return line.marked.marks.empty() ? "" : line.source;
  const data::SpannedText target = decode_line_with_spans(target_tokenizer, translation.ids);
  return join(place_markup(line.marked, line.pieces.spans, {target.text, target.spans},
                           translation.attention),
              line.marked.spellings);
}

}  // namespace dietmt::nmt
