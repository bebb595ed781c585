#include "service/api/text_translator.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/text_io.h"
#include "nmt/alignment/lost_words.h"
#include "nmt/translation/kept_text.h"
#include "service/api/call.h"
#include "service/api/preparation_turn.h"
#include "service/api/text_plan.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
namespace {

bool has_marks(const std::vector<TranslatedText>& texts) {
  return std::ranges::any_of(texts, [](const TranslatedText& text) {
    return std::ranges::any_of(text.sentences, [](const TranslatedSentence& sentence) {
      return !sentence.marked.marks.empty() || !sentence.line.marked.marks.empty();
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

// With U+FFFD in place of NUL, as at the command line.
std::vector<nmt::MarkedText> without_marks(const std::vector<std::string>& texts) {
  std::vector<nmt::MarkedText> marked;
  for (const std::string& text : texts)
    marked.push_back({.text = replace_unreadable(text), .marks = {}});
  return marked;
}

// Plans a context text, without its marks.
TranslatedText plan_context(const nmt::MarkedText& text, const TextOptions& options,
                            const nmt::KeptFinder& find) {
  TranslatedText planned = plan_text(text, options, find.of(nmt::KeptKinds::all()));
  for (TranslatedSentence& sentence : planned.sentences) sentence.marked.marks.clear();
  return planned;
}

std::vector<TranslatedText> unchanged(const std::vector<nmt::MarkedText>& texts) {
  std::vector<TranslatedText> same(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) same[i].after = in_source_order(texts[i]);
  return same;
}

// A text whose translation has lost its words stays as it is.
void keep_source_of_wordless(TranslatedSentence& sentence) {
  const nmt::LineRequest& line = sentence.line;
  if (!line.has_text || sentence.translations.empty()) return;
  nmt::LineResult& best = sentence.translations.front();
  if (!nmt::has_lost_words(words_of(best), line.source)) return;
  sentence.guard = {.sign = nmt::Degeneration::kEmpty, .kept_source = true};
  best.parts = in_source_order(line.marked);
  for (nmt::MarkedPart& part : best.parts)
    if (!part.is_markup) part.text = nmt::respelled(part.text, line.marked.spellings);
  best.text = nmt::join(best.parts);
}

// If the queue is full or time is up, the first translations are better than none.
nmt::SecondSearch second_search(ServedModel& model, const Patience& patience) {
  return [&](std::vector<nmt::TranslationRequest> repeated,
             const nmt::SearchOptions& careful) -> std::vector<nmt::NBest> {
    try {
      return model.queue().translate(std::move(repeated), careful, patience);
    } catch (const QueueFull&) {
      return {};
    } catch (const DeadlineExceeded&) {
      return {};
    }
  };
}

// A prefix may be as long as a translation without one.
void check_prefix(const nmt::LineRequest& line, const nmt::SearchOptions& search) {
  const int64_t length = std::ssize(line.request.prefix) + 1;
  const int64_t most = search.max_target_length(line.tokens);
  if (length > most)
    throw HttpError::of_option(
        "prefix", "prefix: a translation with it has " + std::to_string(length) +
                      " tokens or more; the limit for this text is " + std::to_string(most) +
                      " (max_length_factor, max_length_offset)");
}

// Adds a sentence's n-th translation, or the last if there are fewer, and what is before it.
void append(const TranslatedSentence& one, size_t n, Translation& parts) {
  if (one.translations.empty())
    parts.insert(parts.end(), one.before.begin(), one.before.end());
  else
    nmt::append_sentence(one.before,
                         nmt::parts_of(one.translations[std::min(n, one.translations.size() - 1)]),
                         parts);
}

// Replaces the tags of HTML.
void write_tags(const std::vector<std::string>& tags, Translation& parts) {
  if (tags.empty()) return;
  for (nmt::MarkedPart& part : parts)
    if (part.mark >= 0) part.text = tags.at(static_cast<size_t>(part.mark));
}

}  // namespace

std::vector<std::string> TranslatedText::written_tags(size_t n) const {
  std::vector<Translation> texts(attributes.size());
  for (const TranslatedSentence& one : sentences)
    if (one.attribute) append(one, n, texts[*one.attribute]);
  std::vector<std::vector<std::optional<std::string>>> values;
  for (const TextTag& tag : tags) values.emplace_back(tag.values.size());
  for (size_t i = 0; i < attributes.size(); ++i) {
    const auto& [tag, value, after_it] = attributes[i];
    values[tag][value] = tags[tag].values[value].encode(nmt::join(texts[i]) + nmt::join(after_it));
  }
  std::vector<std::string> written;
  for (size_t t = 0; t < tags.size(); ++t) written.push_back(with_values(tags[t], values[t]));
  return written;
}

Translation TranslatedText::parts(size_t n) const {
  Translation all;
  for (const TranslatedSentence& one : sentences)
    if (!one.attribute) append(one, n, all);
  all.insert(all.end(), after.begin(), after.end());
  write_tags(written_tags(n), all);
  return all;
}

std::vector<std::string> TranslatedText::by_sentence(const std::string& earlier) const {
  Translation all;
  if (!earlier.empty()) all.push_back({earlier});
  const std::vector<std::string> written = written_tags(0);
  std::vector<std::string> texts;
  const auto add_rest = [&](size_t begin) {
    Translation rest(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end());
    write_tags(written, rest);
    return nmt::join(rest);
  };
  for (const TranslatedSentence& one : sentences) {
    if (one.attribute) continue;
    const size_t begin = all.size();
    append(one, 0, all);
    texts.push_back(add_rest(begin));
  }
  const size_t begin = all.size();
  all.insert(all.end(), after.begin(), after.end());
  if (texts.empty()) texts.emplace_back();
  texts.back() += add_rest(begin);
  return texts;
}

bool TranslatedText::was_cut() const {
  return std::any_of(sentences.begin(), sentences.end(),
                     [](const TranslatedSentence& one) { return one.line.cut_tokens > 0; });
}

bool TranslatedText::was_guarded() const {
  return std::ranges::any_of(sentences, [](const TranslatedSentence& one) {
    return one.guard.sign != nmt::Degeneration::kNone;
  });
}

std::string cut_warning(const nmt::LineRequest& sentence) {
  const bool is_partly_read = sentence.source.size() > data::Tokenizer::kLongestPart;
  return std::string("a sentence of ") + (is_partly_read ? "at least " : "") +
         std::to_string(sentence.tokens + sentence.cut_tokens) + " tokens was cut to the first " +
         std::to_string(sentence.tokens);
}

std::string words_of(const nmt::LineResult& translation) {
  if (translation.parts.empty()) return translation.text;
  std::string words;
  for (const nmt::MarkedPart& part : translation.parts)
    if (!part.is_markup) words += part.text;
  return words;
}

TextTranslation::TextTranslation(const ServedPath& models,
                                 const std::vector<nmt::MarkedText>& texts,
                                 const TextOptions& options)
    : models_(models), texts_(texts), options_(options) {}

std::vector<nmt::TranslationRequest> TextTranslation::prepare(const Patience& patience) {
  const PreparationTurn turn(bytes_of(texts_, options_.context), patience);
  model().queue().check_open();
  const nmt::LoadedDecoder& loaded = model().model();
  search_ = is_last() ? options_.search : options_.search.for_pivot();
  if (search_.coverage_penalty > 0.0 && !loaded.decoder->aligns())
    throw HttpError::of_option("coverage_penalty",
                               "coverage_penalty: this model compresses the keys of "
                               "cross-attention");
  require_alignment(loaded);
  if (next_ == 0) plan(loaded.context.any(), patience);
  const bool restores_words = options_.line.restores_case && models_.size() == 1;
  search_.alignment =
      (search_.alignment || restores_words || has_marks(translated_)) && loaded.decoder->aligns();
  std::unique_ptr<nmt::LineCoder> coder = coder_of_next();
  std::vector<nmt::TranslationRequest> requests =
      next_ == 0 ? prepare_first(*coder, patience) : advance(*coder, patience);
  coder_ = std::move(coder);
  return requests;
}

// One model translates most of what must be kept well in its place; the next one would not know.
nmt::KeptFinder TextTranslation::taken_out() const {
  const nmt::KeptKinds kinds = options_.markup      ? nmt::KeptKinds::all()
                               : models_.size() > 1 ? options_.line.keep
                                                    : nmt::KeptKinds();
  return {models_.front().model->model().source_tokenizer.get(), kinds};
}

void TextTranslation::require_alignment(const nmt::LoadedDecoder& model) const {
  if (options_.line.alignment == nmt::AlignmentKind::kNone) return;
  if (models_.size() > 1)
    throw HttpError::of_option("alignment", "alignment needs one model, not a pivot language");
  if (!model.decoder->aligns())
    throw HttpError::of_option(
        "alignment",
        "alignment does not work with this model: it compresses the keys of cross-attention");
}

// `reads_context`: if false, texts that are only context have no sentences.
void TextTranslation::plan(bool reads_context, const Patience& patience) {
  translated_.resize(texts_.size());
  for (size_t t = 0; t < texts_.size(); ++t) {
    patience.check();
    if (!is_only_context(t))
      translated_[t] = plan_text(texts_[t], options_, taken_out());
    else if (reads_context)
      translated_[t] = plan_context(texts_[t], options_, taken_out());
  }
}

std::unique_ptr<nmt::LineCoder> TextTranslation::coder_of_next() const {
  nmt::LineOptions line = options_.line;
  line.glossary = options_.glossary.get();
  line.is_last = is_last();
  line.markup = options_.markup;
  const std::string asked = next_ > 0 ? "" : line.languages.source_tag;
  line.languages = models_[next_].languages;
  if (!asked.empty()) line.languages.source_tag = asked;
  if (model().model().languages.empty()) line.languages.source = line.languages.target = "";
  if (is_last() && !line.avoid.empty() && model().model().pieces().empty())
    throw HttpError::of_option("avoid", "avoid: the model's vocabulary is not sentencepiece's");
  try {
    return std::make_unique<nmt::LineCoder>(model().model(), search_, std::move(line));
  } catch (const DataError& error) {
    if (asked.empty()) throw HttpError::of_option("target", std::string("target: ") + error.what());
    throw HttpError::of_option("source_tag", "source_tag: '" + options_.line.languages.source_tag +
                                                 "' is not a tag of this model");
  }
}

// Reads a text only as context.
void TextTranslation::read(nmt::LineCoder& coder, TranslatedText planned) const {
  if (planned.sentences.empty()) coder.end_document();
  for (TranslatedSentence& sentence : planned.sentences) coder.prepare(std::move(sentence.marked));
}

std::vector<nmt::TranslationRequest> TextTranslation::prepare_first(nmt::LineCoder& coder,
                                                                    const Patience& patience) {
  for (const std::string& text : options_.context)
    read(coder, plan_text({.text = text, .marks = {}}, options_, taken_out()));
  const nmt::DocumentContext earlier = coder.document();
  std::vector<nmt::TranslationRequest> requests;
  for (size_t t = 0; t < texts_.size(); ++t) {
    if (t > 0 && !options_.document) coder.continue_document(earlier);
    if (is_only_context(t)) {
      read(coder, translated_[t]);
      continue;
    }
    if (translated_[t].sentences.empty()) coder.end_document();
    for (TranslatedSentence& sentence : translated_[t].sentences) {
      patience.check();
      sentence.line = coder.prepare(std::move(sentence.marked),
                                    {.index = std::ssize(requests), .prefix = options_.prefix});
      check_prefix(sentence.line, search_);
      if (sentence.line.has_text) requests.push_back(std::move(sentence.line.request));
    }
  }
  return requests;
}

// Only the first model knows the language of context texts.
std::vector<nmt::TranslationRequest> TextTranslation::advance(nmt::LineCoder& coder,
                                                              const Patience& patience) {
  std::vector<nmt::TranslationRequest> requests;
  auto next = found_.begin();
  for (size_t t = 0; t < texts_.size(); ++t) {
    if (!options_.document || is_only_context(t) || translated_[t].sentences.empty())
      coder.end_document();
    if (is_only_context(t)) continue;
    for (TranslatedSentence& sentence : translated_[t].sentences) {
      patience.check();
      nmt::LineRequest& line = sentence.line;
      if (!line.has_text) {
        if (!line.is_copied) coder.end_document();
        continue;
      }
      line.extras.index = std::ssize(requests);
      coder.advance(line, *coder_, next++->front());
      check_prefix(line, search_);
      if (line.has_text) requests.push_back(std::move(line.request));
    }
  }
  return requests;
}

void TextTranslation::finish(std::vector<nmt::NBest> found,
                             const std::vector<nmt::GuardOutcome>& outcomes,
                             const nmt::SecondSearch& again, const Patience& patience) {
  found_ = std::move(found);
  const bool was_last = is_last();
  ++next_;
  if (!was_last) return;
  size_t next = 0;
  std::vector<nmt::TranslatedPair> pairs;
  for (size_t t = 0; t < texts_.size(); ++t) {
    if (is_only_context(t)) continue;
    for (TranslatedSentence& sentence : translated_[t].sentences) {
      patience.check();
      const bool has_text = sentence.line.has_text;
      if (has_text && !outcomes.empty()) sentence.guard = outcomes[next];
      const nmt::NBest translations = has_text ? std::move(found_[next++]) : nmt::NBest();
      if (has_text) sentence.target_tokens = std::ssize(translations.front().ids) + 1;
      sentence.translations = coder_->finish(sentence.line, translations);
      pairs.push_back({&sentence.line, &sentence.translations});
    }
  }
  nmt::keep_text(*coder_, pairs, search_, again);
  if (options_.guard == nmt::Guard::kRetry) {
    for (TranslatedText& text : translated_)
      for (TranslatedSentence& sentence : text.sentences) keep_source_of_wordless(sentence);
  }
}

std::vector<TranslatedText> translate_texts(const ServedPath& models,
                                            const std::vector<std::string>& texts,
                                            const TextOptions& options, const Patience& patience) {
  return translate_texts(models, without_marks(texts), options, patience);
}

std::vector<TranslatedText> translate_texts(const ServedPath& models,
                                            const std::vector<nmt::MarkedText>& texts,
                                            const TextOptions& options, const Patience& patience) {
  if (models.empty()) return unchanged(texts);
  TextTranslation translation(models, texts, options);
  while (translation.has_next()) {
    ServedModel& model = translation.model();
    std::vector<nmt::TranslationRequest> requests = translation.prepare(patience);
    const bool is_guarded = translation.is_guarded();
    const auto kept = is_guarded ? requests : std::vector<nmt::TranslationRequest>();
    std::vector<nmt::NBest> found =
        model.queue().translate(std::move(requests), translation.search(), patience);
    std::vector<nmt::GuardOutcome> outcomes;
    Patience rest = patience;
    const nmt::SecondSearch again = second_search(model, patience);
    if (is_guarded) {
      outcomes =
          nmt::guard_output(options.guard, model.model(), kept, translation.search(), again, found);
      // The guard has used up the time: the first translations are better than none.
      if (RequestQueue::Clock::now() >= rest.deadline)
        rest.deadline = RequestQueue::Clock::time_point::max();
    }
    translation.finish(std::move(found), outcomes, again, rest);
  }
  return std::move(translation).take();
}

}  // namespace dietmt::service
