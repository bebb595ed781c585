#include "service/api/sentence_coding.h"

#include <algorithm>
#include <span>
#include <utility>

#include "data/text/copy_check.h"
#include "service/documents/markup.h"

namespace dietmt::service {
namespace {

// Of the first tokens of a text.
size_t bytes_of(const std::string& text, int64_t tokens, const LoadedModel& model) {
  const data::SpannedPieces pieces = model.encode_source_with_spans(text);
  const int32_t end = tokens > 0 ? pieces.spans.at(static_cast<size_t>(tokens - 1)).end : 0;
  return static_cast<size_t>(std::max(end, 0));
}

// A translation of a sentence by one model, with the marks of the sentence.
struct MarkedTranslation {
  std::vector<nmt::MarkedPart> parts;
  std::vector<nmt::WordPair> alignment;  // if the search aligned
};

MarkedTranslation translation_of(const TranslatedSentence& sentence,
                                 const nmt::Hypothesis& hypothesis, const LoadedModel& model,
                                 const nmt::SearchOptions& search) {
  const bool has_marks = !sentence.marked.marks.empty();
  MarkedTranslation made;
  if (!search.alignment) {
    const std::string text = model.decode_target(hypothesis.ids);
    if (has_marks)
      made.parts = place_markup(sentence.marked, text);
    else
      made.parts.push_back({text});
    return made;
  }
  const data::SpannedText target = model.decode_target_with_spans(hypothesis.ids);
  const nmt::TokenizedText tokens{target.text, target.spans};
  made.alignment =
      nmt::align_words({source_of(sentence), sentence.spans}, tokens, hypothesis.attention);
  if (has_marks)
    made.parts = place_markup(sentence.marked, sentence.spans, tokens, hypothesis.attention);
  else
    made.parts.push_back({target.text});
  return made;
}

}  // namespace

const std::string& source_of(const TranslatedSentence& sentence) {
  return sentence.pivots.empty() ? sentence.source : sentence.pivots.back();
}

nmt::TranslationRequest encode(TranslatedSentence& sentence, const LoadedModel& model,
                               const nmt::SearchOptions& search, bool wants_pieces) {
  nmt::TranslationRequest request;
  if (search.alignment) {
    data::SpannedPieces pieces = model.encode_source_with_spans(source_of(sentence));
    request.source = std::move(pieces.ids);
    sentence.spans = std::move(pieces.spans);
  } else {
    request.source = model.encode_source(source_of(sentence));
  }
  const int64_t cut =
      nmt::cut_and_end(request.source, model.decoder->source_limit(search), model.source_end);
  sentence.cut_tokens += cut;
  if (wants_pieces) {
    for (const int32_t id : std::span(request.source).first(request.source.size() - 1))
      sentence.source_pieces.push_back(model.source_piece(id));
    sentence.source_pieces.emplace_back("</s>");
  }
  if (sentence.pivots.empty())
    sentence.bytes_read = cut > 0 ? bytes_of(sentence.source, std::ssize(request.source) - 1, model)
                                  : sentence.source.size();
  if (search.alignment) sentence.spans.resize(request.source.size() - 1);
  if (sentence.pivots.empty()) sentence.source_tokens = std::ssize(request.source);
  return request;
}

Translation written(Translation parts, const TranslatedSentence& sentence,
                    const TextOptions& options) {
  for (nmt::MarkedPart& part : parts) {
    if (part.is_markup) continue;
    part.text = options.html ? escape_markup(part.text)
                             : nmt::respelled(part.text, sentence.marked.spellings);
  }
  return parts;
}

TranslatedSentence::Found decode(const TranslatedSentence& sentence,
                                 const nmt::Hypothesis& hypothesis, const LoadedModel& model,
                                 const TextOptions& options, const nmt::SearchOptions& search) {
  TranslatedSentence::Found found;
  MarkedTranslation made = translation_of(sentence, hypothesis, model, search);
  found.parts = written(std::move(made.parts), sentence, options);
  found.text = nmt::join(found.parts);
  if (sentence.marked.marks.empty()) found.parts.clear();
  found.alignment = std::move(made.alignment);
  if (!sentence.terms.empty()) {
    const std::string text = model.decode_target(hypothesis.ids);
    for (const data::GlossaryTerm* term : data::missing_terms(sentence.terms, text))
      found.missing_terms.push_back(term->target_text());
  }
  if (options.check_copies)
    found.missing_copies =
        data::missing_copies(sentence.source, model.decode_target(hypothesis.ids));
  found.score = hypothesis.score;
  if (options.attention) found.attention = hypothesis.attention;
  if (!options.pieces && !options.attention) return found;
  for (const int32_t id : hypothesis.ids) found.pieces.push_back(model.target_piece(id));
  found.pieces.emplace_back("</s>");
  found.piece_scores = hypothesis.token_scores;
  return found;
}

void add_pivot(const nmt::Hypothesis& best, const LoadedModel& model,
               const nmt::SearchOptions& search, TranslatedSentence& sentence) {
  nmt::MarkupRemoval removal;
  for (const nmt::MarkedPart& part : translation_of(sentence, best, model, search).parts) {
    if (part.is_markup)
      removal.add_mark(part);
    else
      removal.add_text(part.text);
  }
  nmt::MarkedText marked = removal.finish();
  marked.spellings = std::move(sentence.marked.spellings);
  sentence.marked = std::move(marked);
  sentence.pivots.push_back(sentence.marked.text);
}

}  // namespace dietmt::service
