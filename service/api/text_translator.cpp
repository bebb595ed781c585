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

// What the next model translates of a sentence.
const std::string& source_of(const TranslatedSentence& sentence) {
  return sentence.pivots.empty() ? sentence.source : sentence.pivots.back();
}

// Counts the tokens that are cut.
nmt::TranslationRequest encode(TranslatedSentence& sentence, const LoadedModel& model,
                               const nmt::SearchOptions& search) {
  nmt::TranslationRequest request;
  request.source = model.encode_source(source_of(sentence));
  sentence.cut_tokens +=
      nmt::cut_and_end(request.source, model.decoder->source_limit(search), model.source_end);
  if (sentence.pivots.empty()) sentence.source_tokens = std::ssize(request.source);
  return request;
}

TranslatedSentence::Found decode(const nmt::Hypothesis& hypothesis,
                                 const TranslatedSentence& sentence, const LoadedModel& model,
                                 const TextOptions& options) {
  TranslatedSentence::Found found;
  found.text = model.decode_target(hypothesis.ids);
  for (const data::GlossaryTerm* term : data::missing_terms(sentence.terms, found.text))
    found.missing_terms.push_back(term->target_text());
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

std::vector<TranslatedText> plan_all(const std::vector<std::string>& texts,
                                     const TextOptions& options) {
  std::vector<TranslatedText> planned;
  planned.reserve(texts.size());
  for (const std::string& text : texts) planned.push_back(plan(text, options));
  return planned;
}

// The sentences that a model has to translate: all, but a model may have made nothing of one.
std::vector<TranslatedSentence*> sentences_for_next(std::vector<TranslatedText>& texts) {
  std::vector<TranslatedSentence*> sentences;
  for (TranslatedText& text : texts) {
    for (TranslatedSentence& sentence : text.sentences)
      if (!source_of(sentence).empty()) sentences.push_back(&sentence);
  }
  return sentences;
}

std::vector<nmt::TranslationRequest> encode_all(const std::vector<TranslatedSentence*>& sentences,
                                                const LoadedModel& model,
                                                const nmt::SearchOptions& search,
                                                const std::string& prefix) {
  std::vector<int32_t> forced;
  if (!prefix.empty()) forced = model.encode_target(prefix);
  std::vector<nmt::TranslationRequest> requests;
  for (TranslatedSentence* sentence : sentences) {
    requests.push_back(encode(*sentence, model, search));
    requests.back().prefix = forced;
    requests.back().index = static_cast<int64_t>(requests.size()) - 1;
  }
  return requests;
}

// Of the glossary; found in the text, also if another model translates it first.
void add_constraints(const std::vector<TranslatedSentence*>& sentences,
                     const data::Glossary& glossary, ServedModel& model,
                     std::vector<nmt::TranslationRequest>& requests) {
  for (size_t s = 0; s < sentences.size(); ++s) {
    TranslatedSentence& sentence = *sentences[s];
    sentence.terms = glossary.find(sentence.source);
    if (!sentence.terms.empty())
      requests[s].constraints = model.terms().constraints(sentence.terms);
  }
}

void add_translations(const nmt::NBest& found, const LoadedModel& model, const TextOptions& options,
                      TranslatedSentence& sentence) {
  for (const nmt::Hypothesis& hypothesis : found)
    sentence.translations.push_back(decode(hypothesis, sentence, model, options));
  if (!found.empty()) sentence.target_tokens = std::ssize(found.front().ids) + 1;
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

std::vector<TranslatedText> translate_texts(const ServedPath& models,
                                            const std::vector<std::string>& texts,
                                            const TextOptions& options, const Patience& patience) {
  std::vector<TranslatedText> translated;
  for (size_t i = 0; i < models.size(); ++i) {
    const LoadedModel& model = models[i]->model();
    const bool is_last = i + 1 == models.size();
    const nmt::SearchOptions search = is_last ? options.search : options.search.for_pivot();
    std::vector<TranslatedSentence*> sentences;
    std::vector<nmt::TranslationRequest> requests;
    {
      const PreparationTurn turn(bytes_of(texts), patience);
      models[i]->queue().check_open();
      if (i == 0) translated = plan_all(texts, options);
      sentences = sentences_for_next(translated);
      requests = encode_all(sentences, model, search, is_last ? options.prefix : "");
      if (is_last && options.glossary)
        add_constraints(sentences, *options.glossary, *models[i], requests);
    }
    const auto found = models[i]->queue().translate(std::move(requests), search, patience);
    for (size_t s = 0; s < sentences.size(); ++s) {
      if (is_last)
        add_translations(found[s], model, options, *sentences[s]);
      else
        sentences[s]->pivots.push_back(model.decode_target(found[s].front().ids));
    }
  }
  return translated;
}

}  // namespace dietmt::service
