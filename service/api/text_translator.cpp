#include "service/api/text_translator.h"

#include <algorithm>
#include <numeric>

#include "service/api/preparation_turn.h"
#include "service/api/sentence_splitter.h"
#include "service/documents/markup.h"

namespace dietmt::service {
namespace {

SplitText split(std::string_view text, const TextOptions& options) {
  return options.split ? split_sentences(text, options.language) : one_sentence(text);
}

TranslatedSentence sentence_of(std::string before, std::string source) {
  TranslatedSentence sentence;
  sentence.before = std::move(before);
  sentence.source = std::move(source);
  return sentence;
}

// Splits a text into sentences to translate.
TranslatedText plan(const std::string& text, const TextOptions& options) {
  TranslatedText planned;
  if (!options.html) {
    const SplitText parts = split(text, options);
    for (const SentencePiece& piece : parts.pieces) {
      planned.sentences.push_back(
          sentence_of(std::string(piece.before), std::string(piece.sentence)));
    }
    planned.after = parts.after;
    return planned;
  }
  for (const MarkupPart& part : split_markup(text)) {
    if (!part.is_text) {
      planned.after += part.raw;
      continue;
    }
    const SplitText parts = split(part.raw, options);
    for (const SentencePiece& piece : parts.pieces) {
      planned.after += piece.before;
      planned.sentences.push_back(
          sentence_of(std::move(planned.after), resolve_references(piece.sentence)));
      planned.after.clear();
    }
    planned.after += parts.after;
  }
  return planned;
}

// Encodes a sentence and counts the tokens that are cut.
nmt::TranslationRequest encode(TranslatedSentence& sentence, const LoadedModel& model,
                               const TextOptions& options, const std::vector<int32_t>& prefix) {
  nmt::TranslationRequest request;
  request.source = model.encode_source(sentence.source);
  request.prefix = prefix;
  sentence.cut_tokens = nmt::cut_and_end(
      request.source, model.decoder->source_limit(options.search), model.source_end);
  sentence.source_tokens = std::ssize(request.source);
  return request;
}

TranslatedSentence::Found decode(const nmt::Hypothesis& hypothesis, const LoadedModel& model,
                                 const TextOptions& options) {
  TranslatedSentence::Found found;
  found.text = model.decode_target(hypothesis.ids);
  if (options.html) found.text = escape_markup(found.text);
  found.score = hypothesis.score;
  if (!options.pieces) return found;
  for (const int32_t id : hypothesis.ids) found.pieces.push_back(model.target_piece(id));
  found.pieces.emplace_back("</s>");
  found.piece_scores = hypothesis.token_scores;
  return found;
}

size_t bytes_of(const std::vector<std::string>& texts) {
  return std::accumulate(texts.begin(), texts.end(), size_t{0},
                         [](size_t sum, const std::string& text) { return sum + text.size(); });
}

// The sentences of all texts, which get into `planned`.
std::vector<nmt::TranslationRequest> prepare(ServedModel& model,
                                             const std::vector<std::string>& texts,
                                             const TextOptions& options, const Patience& patience,
                                             std::vector<TranslatedText>& planned) {
  const PreparationTurn turn(bytes_of(texts), patience);
  model.queue().check_open();
  std::vector<int32_t> prefix;
  if (!options.prefix.empty()) prefix = model.model().encode_target(options.prefix);
  std::vector<nmt::TranslationRequest> requests;
  for (const std::string& text : texts) {
    planned.push_back(plan(text, options));
    for (TranslatedSentence& sentence : planned.back().sentences) {
      requests.push_back(encode(sentence, model.model(), options, prefix));
      requests.back().index = static_cast<int64_t>(requests.size()) - 1;
    }
  }
  return requests;
}

}  // namespace

std::string TranslatedText::joined(size_t n) const {
  std::string text;
  for (const TranslatedSentence& sentence : sentences) {
    text += sentence.before;
    if (sentence.translations.empty()) continue;
    text += sentence.translations[std::min(n, sentence.translations.size() - 1)].text;
  }
  return text + after;
}

bool TranslatedText::was_cut() const {
  return std::any_of(sentences.begin(), sentences.end(),
                     [](const TranslatedSentence& one) { return one.cut_tokens > 0; });
}

std::vector<TranslatedText> translate_texts(ServedModel& model,
                                            const std::vector<std::string>& texts,
                                            const TextOptions& options, const Patience& patience) {
  std::vector<TranslatedText> planned;
  std::vector<nmt::TranslationRequest> requests = prepare(model, texts, options, patience, planned);
  const std::vector<nmt::NBest> found =
      model.queue().translate(std::move(requests), options.search, patience);
  auto next = found.begin();
  for (TranslatedText& text : planned) {
    for (TranslatedSentence& sentence : text.sentences) {
      for (const nmt::Hypothesis& hypothesis : *next)
        sentence.translations.push_back(decode(hypothesis, model.model(), options));
      if (!next->empty()) text.target_tokens += static_cast<int64_t>(next->front().ids.size()) + 1;
      ++next;
    }
  }
  return planned;
}

}  // namespace dietmt::service
