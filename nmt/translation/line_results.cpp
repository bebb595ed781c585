#include "nmt/translation/line_results.h"

#include <numeric>
#include <utility>

#include "data/text/copy_check.h"
#include "nmt/translation/line_tokens.h"

namespace dietmt::nmt {
namespace {

// [target tokens][source tokens from `first` on]
std::vector<std::vector<float>> rows_of(const std::vector<float>& attention, size_t sources,
                                        size_t first) {
  std::vector<std::vector<float>> rows;
  for (size_t at = 0; at < attention.size(); at += sources) {
    const auto row = attention.begin() + static_cast<std::ptrdiff_t>(at);
    rows.emplace_back(row + static_cast<std::ptrdiff_t>(first),
                      row + static_cast<std::ptrdiff_t>(sources));
  }
  return rows;
}

// With one column for the `ending` tokens of a source: the sum of theirs.
std::vector<float> with_one_end(const std::vector<float>& attention, size_t sources,
                                size_t ending) {
  std::vector<float> rows;
  for (size_t at = 0; at < attention.size(); at += sources + ending) {
    const auto row = attention.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = row + static_cast<std::ptrdiff_t>(sources);
    rows.insert(rows.end(), row, end);
    rows.push_back(std::accumulate(end, end + static_cast<std::ptrdiff_t>(ending), 0.0F));
  }
  return rows;
}

void respell(std::vector<MarkedPart>& parts, const Spellings& spellings) {
  if (spellings.empty()) return;
  for (MarkedPart& part : parts)
    if (!part.is_markup) part.text = respelled(part.text, spellings);
}

void restore_mnemonic(const Mnemonic& mnemonic, LineResult& result) {
  if (mnemonic.sign == 0) return;
  const bool has_parts = !result.parts.empty();
  if (!has_parts) result.parts = {{.text = result.text}};
  if (put_back_mnemonic(mnemonic, result.parts)) result.text = join(result.parts);
  if (!has_parts) result.parts.clear();
}

LineResult result_of(const LoadedDecoder& model, const LineOptions& options,
                     const LineRequest& line, const Hypothesis& found) {
  const data::Tokenizer& tokenizer = *model.target_tokenizer;
  DecodedLine made = decoded_line(model, options.alignment, line, found);
  LineResult result{.score = found.score, .token_scores = found.token_scores};
  if (!line.terms.empty()) {
    for (const data::GlossaryTerm* term : data::missing_terms(line.terms, made.text))
      result.missing_terms.push_back(term->target_text());
  }
  if (options.check_copies) result.missing_copies = data::missing_copies(line.source, made.text);
  if (!made.cased.empty()) {
    made.text = std::move(made.cased);
  } else if (line.text_case != LineCase::kUsual) {
    made.text = in_case(made.text, line.text_case);
    for (MarkedPart& part : made.parts)
      if (!part.is_markup) part.text = in_case(part.text, line.text_case);
  }
  const Spellings& spellings = line.marked.spellings;
  if (!spellings.empty()) made.text = respelled(made.text, spellings);
  respell(made.parts, spellings);
  result.text = made.parts.empty() ? std::move(made.text) : join(made.parts);
  result.parts = std::move(made.parts);
  result.alignment = std::move(made.alignment);
  if (options.alignment == AlignmentKind::kSoft)
    result.attention = rows_of(found.attention, line.pieces.size() + line.tag_tokens,
                               static_cast<size_t>(line.tag_tokens));
  if (options.pieces || options.alignment == AlignmentKind::kSoft) {
    result.pieces.reserve(found.ids.size() + 1);
    for (const int32_t id : found.ids) result.pieces.push_back(tokenizer.piece(id));
    result.pieces.push_back(tokenizer.piece(tokenizer.end_id()));
  }
  return result;
}

}  // namespace

DecodedLine decoded_line(const LoadedDecoder& model, AlignmentKind alignment,
                         const LineRequest& line, const Hypothesis& found) {
  const data::Tokenizer& tokenizer = *model.target_tokenizer;
  const bool has_marks = !line.marked.marks.empty();
  const bool pairs_words = alignment == AlignmentKind::kHard;
  const bool restores_words = !line.word_cases.empty() && line.pivots.empty();
  DecodedLine made;
  if (found.attention.empty() || !(has_marks || pairs_words || restores_words)) {
    made.text = decode_line(tokenizer, found.ids);
    if (has_marks) made.parts = place_markup(line.marked, made.text);
    return made;
  }
  data::SpannedText target = decode_line_with_spans(tokenizer, found.ids);
  const std::vector<float> attention = with_one_end(found.attention, line.spans.size(),
                                                    model.source_tokenizer->source_ending().size());
  std::vector<WordPair> pairs;
  if (pairs_words || restores_words)
    pairs = align_words({line.text(), line.spans}, {target.text, target.spans}, attention);
  if (restores_words) made.cased = in_case_of_words(target.text, pairs, line.word_cases);
  const TokenizedText tokens{restores_words ? made.cased : target.text, target.spans};
  if (has_marks) made.parts = place_markup(line.marked, line.spans, tokens, attention);
  if (pairs_words) made.alignment = std::move(pairs);
  made.text = std::move(target.text);
  return made;
}

std::vector<LineResult> line_results(const LoadedDecoder& model, const LineOptions& options,
                                     const LineRequest& line, const NBest& found) {
  std::vector<LineResult> results;
  if (!line.has_text) {
    LineResult& only = results.emplace_back(LineResult{.text = line.untranslated});
    if (!line.marked.marks.empty())
      only.parts = place_markup(line.marked, line.is_copied ? line.copied() : "");
    respell(only.parts, line.marked.spellings);
  }
  if (line.has_text)
    for (const Hypothesis& one : found) results.push_back(result_of(model, options, line, one));
  for (LineResult& result : results) restore_mnemonic(line.mnemonic, result);
  return results;
}

}  // namespace dietmt::nmt
