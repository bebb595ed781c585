#include "nmt/translation/term_encoder.h"

#include <algorithm>
#include <utility>

#include "data/text/word_text.h"

namespace dietmt::nmt {
namespace {

// Quotation marks and apostrophes may also open or join, as in l'eau.
constexpr std::u32string_view kBeforeSpace = U".,:;!?\u2026)]}";

// The word-begin mark does not count as a word character.
std::shared_ptr<const WordPieces> word_pieces(const data::Tokenizer& tokenizer) {
  auto words = std::make_shared<WordPieces>();
  for (int64_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const std::u32string piece = data::characters_of(tokenizer.piece(static_cast<int32_t>(id)));
    words->begins_inside.push_back(!piece.empty() && data::joins_word(piece.front()));
    words->ends_inside.push_back(!piece.empty() && data::joins_word(piece.back()));
    words->needs_space.push_back(!piece.empty() &&
                                 kBeforeSpace.find(piece.back()) != std::u32string_view::npos);
  }
  return words;
}

}  // namespace

std::string glossary_problem(const SearchOptions& options) {
  if (options.sample) return "";
  if (options.beam < 2) return "--glossary needs --beam 2 or more";
  if (options.diverse_groups > 1)
    return "--glossary divides the beam by the terms met: leave out --diverse-groups";
  return "";
}

TermEncoder::TermEncoder(const data::Tokenizer& target)
    : tokenizer_(target), words_(word_pieces(target)) {}

TermConstraints TermEncoder::constraints(std::span<const data::GlossaryTerm* const> terms,
                                         int64_t most_length) const {
  TermConstraints found;
  size_t tokens = 0;
  int64_t length = 1;  // of the shortest translation with all terms, with end of sentence
  for (const data::GlossaryTerm* term : terms) {
    if (found.terms.size() == TermConstraints::kMost) break;
    Constraint sequences;
    for (const std::string& target : term->targets)
      for (const std::string& form : data::written_forms(target)) add(form, sequences);
    for (const std::vector<int32_t>& sequence : sequences) tokens += sequence.size();
    if (tokens > TermConstraints::kMostTokens) break;
    if (sequences.empty()) continue;
    length += std::ssize(*std::ranges::min_element(sequences, {}, &std::vector<int32_t>::size));
    if (length > most_length) break;
    found.terms.push_back(std::move(sequences));
  }
  if (!found.terms.empty()) found.words = words_;
  return found;
}

void TermEncoder::add(const std::string& form, Constraint& sequences) const {
  const auto add_tokens = [&](std::vector<int32_t> tokens) {
    const bool is_writable =
        !tokens.empty() && !std::ranges::count(tokens, tokenizer_.unknown_id());
    if (is_writable && !std::ranges::count(sequences, tokens))
      sequences.push_back(std::move(tokens));
  };
  add_tokens(tokenizer_.encode(form));
  add_tokens(encode_inside(form));
}

// The pieces of a form without a space before it: in brackets, in quotation marks, in Chinese.
// Empty if the preceding piece includes part of it. The bracket need not be a piece.
std::vector<int32_t> TermEncoder::encode_inside(const std::string& form) const {
  const data::SpannedPieces pieces = tokenizer_.encode_with_spans("(" + form);
  const auto first =
      std::ranges::find_if(pieces.spans, [](data::TextSpan span) { return span.end > 1; });
  if (first == pieces.spans.end() || first->begin != 1) return {};
  return {pieces.ids.begin() + (first - pieces.spans.begin()), pieces.ids.end()};
}

}  // namespace dietmt::nmt
