#include "service/api/text_translator.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "nmt/search/document_context.h"
#include "service/api/call.h"
#include "service/api/preparation_turn.h"
#include "service/api/sentence_coding.h"
#include "service/api/text_plan.h"
#include "service/documents/markup.h"

namespace dietmt::service {
namespace {

bool has_marks(const std::vector<TranslatedText>& texts) {
  return std::ranges::any_of(texts, [](const TranslatedText& text) {
    return std::ranges::any_of(text.sentences, [](const TranslatedSentence& sentence) {
      return !sentence.marked.marks.empty();
    });
  });
}

size_t bytes_of(const std::vector<nmt::MarkedText>& texts,
                const std::vector<std::string>& context) {
  size_t bytes = 0;
  for (const nmt::MarkedText& text : texts) bytes += text.text.size();
  for (const std::string& text : context) bytes += text.size();
  return bytes;
}

std::vector<nmt::MarkedText> without_marks(const std::vector<std::string>& texts) {
  std::vector<nmt::MarkedText> marked;
  for (const std::string& text : texts) marked.push_back({.text = text, .marks = {}});
  return marked;
}

bool is_only_context(const TextOptions& options, size_t text) {
  return !options.only_context.empty() && options.only_context[text];
}

// Without its marks.
TranslatedText plan_context(const nmt::MarkedText& text, TextOptions options) {
  options.markup = true;
  TranslatedText planned = plan_text(text, options);
  for (TranslatedSentence& sentence : planned.sentences) sentence.marked = {};
  return planned;
}

// `reads_context`: of the first model; otherwise there are no sentences of texts that are only
// context.
std::vector<TranslatedText> plan_all(const std::vector<nmt::MarkedText>& texts,
                                     const TextOptions& options, bool reads_context,
                                     const Patience& patience) {
  std::vector<TranslatedText> planned(texts.size());
  for (size_t t = 0; t < texts.size(); ++t) {
    patience.check();
    if (!is_only_context(options, t))
      planned[t] = plan_text(texts[t], options);
    else if (reads_context)
      planned[t] = plan_context(texts[t], options);
  }
  return planned;
}

// The sentences that a model has to translate: all, but a model may have made nothing of one.
std::vector<TranslatedSentence*> sentences_for_next(std::vector<TranslatedText>& texts,
                                                    const TextOptions& options) {
  std::vector<TranslatedSentence*> sentences;
  for (size_t t = 0; t < texts.size(); ++t) {
    if (is_only_context(options, t)) continue;
    for (TranslatedSentence& sentence : texts[t].sentences)
      if (!source_of(sentence).empty()) sentences.push_back(&sentence);
  }
  return sentences;
}

std::vector<nmt::TranslationRequest> encode_all(const std::vector<TranslatedSentence*>& sentences,
                                                const LoadedModel& model,
                                                const nmt::SearchOptions& search,
                                                const TextOptions& options, bool is_last) {
  std::vector<int32_t> forced;
  if (is_last && !options.prefix.empty()) forced = model.encode_target(options.prefix);
  std::vector<nmt::TranslationRequest> requests;
  for (TranslatedSentence* sentence : sentences) {
    requests.push_back(encode(*sentence, model, search, options.attention));
    requests.back().prefix = forced;
    requests.back().index = static_cast<int64_t>(requests.size()) - 1;
  }
  return requests;
}

// Passes over a text in a document, which one without words ends.
void pass(const TranslatedText& text, const LoadedModel& model, int64_t most,
          nmt::DocumentContext& document) {
  if (text.sentences.empty()) document.end();
  for (const TranslatedSentence& sentence : text.sentences) {
    nmt::TranslationRequest request;
    request.source = model.encode_source(sentence.source);
    nmt::cut_and_end(request.source, most, model.source_end);
    document.next(request, most);
  }
}

// The sentences before each sentence of `texts`, for a model that reads them. `is_first`: it is the
// first of several models, and knows the language of texts that are only context.
void add_context(const std::vector<TranslatedText>& texts, const LoadedModel& model, bool is_first,
                 const TextOptions& options, const nmt::SearchOptions& search,
                 std::vector<nmt::TranslationRequest>& requests) {
  if (!model.context.any()) return;
  const int64_t most = model.decoder->source_limit(search);
  nmt::DocumentContext earlier(model.context);
  for (size_t c = 0; is_first && c < options.context.size(); ++c)
    pass(plan_text({.text = options.context[c], .marks = {}}, options), model, most, earlier);
  nmt::DocumentContext document = earlier;
  auto request = requests.begin();
  for (size_t t = 0; t < texts.size(); ++t) {
    if (t > 0 && !options.document) document = earlier;
    if (is_only_context(options, t)) {
      is_first ? pass(texts[t], model, most, document) : document.end();
      continue;
    }
    if (texts[t].sentences.empty()) document.end();
    for (const TranslatedSentence& sentence : texts[t].sentences)
      if (!source_of(sentence).empty()) document.next(*request++, most);
  }
}

// Of the glossary; found in the text, also if another model translates it first. A term that is
// cut off with its part of the text is not required.
void add_constraints(const std::vector<TranslatedSentence*>& sentences,
                     const data::Glossary& glossary, ServedModel& model,
                     std::vector<nmt::TranslationRequest>& requests) {
  for (size_t s = 0; s < sentences.size(); ++s) {
    TranslatedSentence& sentence = *sentences[s];
    sentence.terms = glossary.find(sentence.source);
    const auto read = std::string_view(sentence.source).substr(0, sentence.bytes_read);
    const bool is_cut = read.size() < sentence.source.size();
    const auto required = is_cut ? glossary.find(read) : sentence.terms;
    if (!required.empty()) requests[s].constraints = model.terms().constraints(required);
  }
}

void add_translations(const nmt::NBest& found, const LoadedModel& model, const TextOptions& options,
                      const nmt::SearchOptions& search, TranslatedSentence& sentence) {
  for (const nmt::Hypothesis& hypothesis : found)
    sentence.translations.push_back(decode(sentence, hypothesis, model, options, search));
  if (!found.empty()) sentence.target_tokens = std::ssize(found.front().ids) + 1;
}

// The marks of a sentence that a model made nothing of.
void keep_marks_of_nothing(std::vector<TranslatedText>& texts, const TextOptions& options) {
  for (TranslatedText& text : texts) {
    for (TranslatedSentence& sentence : text.sentences) {
      if (!sentence.translations.empty() || sentence.marked.marks.empty()) continue;
      Translation parts = written(place_markup(sentence.marked, ""), sentence, options);
      sentence.translations.push_back({.text = nmt::join(parts), .parts = std::move(parts)});
    }
  }
}

}  // namespace

Translation TranslatedText::parts(size_t n) const {
  Translation all;
  const auto add = [&](const Translation& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  for (const TranslatedSentence& sentence : sentences) {
    add(sentence.before);
    if (sentence.translations.empty()) continue;
    const auto& found = sentence.translations[std::min(n, sentence.translations.size() - 1)];
    found.parts.empty() ? all.push_back({found.text}) : add(found.parts);
  }
  add(after);
  return all;
}

bool TranslatedText::was_cut() const {
  return std::any_of(sentences.begin(), sentences.end(),
                     [](const TranslatedSentence& one) { return one.cut_tokens > 0; });
}

std::vector<TranslatedText> translate_texts(const ServedPath& models,
                                            const std::vector<std::string>& texts,
                                            const TextOptions& options, const Patience& patience) {
  return translate_texts(models, without_marks(texts), options, patience);
}

std::vector<TranslatedText> translate_texts(const ServedPath& models,
                                            const std::vector<nmt::MarkedText>& texts,
                                            const TextOptions& options, const Patience& patience) {
  std::vector<TranslatedText> translated;
  for (size_t i = 0; i < models.size(); ++i) {
    const LoadedModel& model = models[i]->model();
    const bool is_last = i + 1 == models.size();
    nmt::SearchOptions search = is_last ? options.search : options.search.for_pivot();
    if (search.coverage_penalty > 0.0 && !model.decoder->aligns())
      throw HttpError::of_option(
          "coverage_penalty",
          "coverage_penalty: this model compresses the keys of cross-attention");
    std::vector<TranslatedSentence*> sentences;
    std::vector<nmt::TranslationRequest> requests;
    {
      const PreparationTurn turn(bytes_of(texts, options.context), patience);
      models[i]->queue().check_open();
      if (i == 0) translated = plan_all(texts, options, model.context.any(), patience);
      search.alignment = (search.alignment || has_marks(translated)) && model.decoder->aligns();
      sentences = sentences_for_next(translated, options);
      requests = encode_all(sentences, model, search, options, is_last);
      if (is_last && options.glossary)
        add_constraints(sentences, *options.glossary, *models[i], requests);
      add_context(translated, model, i == 0, options, search, requests);
    }
    const bool is_guarded = is_last && options.guard != Guard::kOff;
    Patience rest = patience;
    const auto kept = is_guarded ? requests : std::vector<nmt::TranslationRequest>();
    auto found = models[i]->queue().translate(std::move(requests), search, patience);
    if (is_guarded) {
      const auto outcomes = guard_output(*models[i], options.guard, kept, search, patience, found);
      for (size_t s = 0; s < sentences.size(); ++s) sentences[s]->guard = outcomes[s];
      // The guard has used up the time: the first translations are better than none.
      if (RequestQueue::Clock::now() >= rest.deadline)
        rest.deadline = RequestQueue::Clock::time_point::max();
    }
    for (size_t s = 0; s < sentences.size(); ++s) {
      rest.check();
      if (is_last)
        add_translations(found[s], model, options, search, *sentences[s]);
      else
        add_pivot(found[s].front(), model, search, *sentences[s]);
    }
  }
  keep_marks_of_nothing(translated, options);
  return translated;
}

}  // namespace dietmt::service
