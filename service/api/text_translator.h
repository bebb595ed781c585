// Translates texts of any length: splits them into sentences, translates these as one request of
// the model's queue, and joins them again with the white space or markup between the sentences.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/text/glossary.h"
#include "nmt/search/search_options.h"
#include "nmt/translation/line_coder.h"
#include "nmt/translation/output_guard.h"
#include "nmt/translation/sentence_plan.h"
#include "service/api/model_path.h"
#include "service/documents/document.h"
#include "service/documents/html_attributes.h"

namespace dietmt::service {

struct TextOptions {
  std::string language;     // of the source, for the splitting rules
  std::string target = {};  // language, which HTML declares
  bool html = false;
  bool markup = false;  // tags and placeholders of a plain text move with its words
  bool split = true;    // false: a text is one sentence
  // For models that read context:
  bool document = false;                  // the texts continue each other, up to one without words
  std::vector<std::string> context = {};  // source text before each text, or before the document
  /// For each text of a document, whether it is only context for the texts after it; then its
  /// markup is ignored. Empty: all are translated.
  std::vector<bool> only_context = {};
  nmt::LineOptions line = {};                                // without the glossary
  std::string prefix = "";                                   // for each sentence's translation
  std::shared_ptr<const data::Glossary> glossary = nullptr;  // null: none
  nmt::SearchOptions search = {};
  nmt::Guard guard = nmt::Guard::kOff;
};

struct TranslatedSentence : nmt::PlannedSentence {
  std::optional<size_t> attribute = {};  // index in TranslatedText::attributes: it belongs there
  nmt::LineRequest line;                 // for the marked text
  nmt::GuardOutcome guard;               // for the last model's translations
  std::vector<nmt::LineResult> translations;  // best first
  int64_t target_tokens = 0;                  // of the best translation, including end of sentence
};

struct TranslatedText {
  /// A text in an HTML tag: its sentences and what follows them.
  struct Attribute {
    size_t tag = 0;
    size_t value = 0;
    Translation after = {};
  };

  std::vector<TranslatedSentence> sentences;
  Translation after;
  std::vector<TextTag> tags = {};  // of HTML; the index of a part's tag is MarkedPart::mark
  std::vector<Attribute> attributes = {};

  /// The text with the n-th translation of each sentence, or the last if there are fewer.
  Translation parts(size_t n = 0) const;
  std::string joined(size_t n = 0) const { return nmt::join(parts(n)); }

  /// joined(), cut before the white space between the sentences. `earlier`: the translation before
  /// this text, if it continues one.
  std::vector<std::string> by_sentence(const std::string& earlier = "") const;

  bool was_cut() const;
  /// Whether the guard found a sign in a sentence.
  bool was_guarded() const;

 private:
  /// `tags` with the n-th translation of their attributes.
  std::vector<std::string> written_tags(size_t n) const;
};

/// The warning that a sentence was longer than its model can read.
std::string cut_warning(const nmt::LineRequest& sentence);

/// The texts of a request while one or more models translate them: for each model in turn
/// prepare(), a search for its requests with search(), and finish(). Keeps references to all
/// arguments.
class TextTranslation {
 public:
  TextTranslation(const ServedPath& models, const std::vector<nmt::MarkedText>& texts,
                  const TextOptions& options);

  bool has_next() const { return next_ < models_.size(); }

  /// What the next model must translate. Throws HttpError for options that it does not support, and
  /// the exceptions of Patience::check() and RequestQueue::check_open().
  std::vector<nmt::TranslationRequest> prepare(const Patience& patience);

  /// The prepared model.
  ServedModel& model() const { return *models_[next_].model; }
  const nmt::SearchOptions& search() const { return search_; }

  /// Whether the model's translations go through nmt::guard_output(), whose outcomes finish()
  /// takes.
  bool is_guarded() const { return is_last() && options_.guard != nmt::Guard::kOff; }

  /// Takes the translations of the requests. What the texts must keep and the last model has lost
  /// is translated by `again`. Throws the exceptions of Patience::check().
  void finish(std::vector<nmt::NBest> found, const std::vector<nmt::GuardOutcome>& outcomes,
              const nmt::SecondSearch& again, const Patience& patience);

  /// Call it after the last model.
  std::vector<TranslatedText> take() && { return std::move(translated_); }

 private:
  bool is_last() const { return next_ + 1 == models_.size(); }
  bool is_only_context(size_t text) const {
    return !options_.only_context.empty() && options_.only_context[text];
  }
  nmt::KeptFinder taken_out() const;
  void require_alignment(const nmt::LoadedDecoder& model) const;
  void plan(bool reads_context, const Patience& patience);
  std::unique_ptr<nmt::LineCoder> coder_of_next() const;
  void read(nmt::LineCoder& coder, TranslatedText planned) const;
  std::vector<nmt::TranslationRequest> prepare_first(nmt::LineCoder& coder,
                                                     const Patience& patience);
  std::vector<nmt::TranslationRequest> advance(nmt::LineCoder& coder, const Patience& patience);

  const ServedPath& models_;
  const std::vector<nmt::MarkedText>& texts_;
  const TextOptions& options_;
  size_t next_ = 0;  // index in the models
  nmt::SearchOptions search_;
  std::unique_ptr<nmt::LineCoder> coder_;  // of the prepared model
  std::vector<TranslatedText> translated_;
  std::vector<nmt::NBest> found_;  // by the previous model, for the sentences that had text
};

/// The translation without tags and other markup.
std::string words_of(const nmt::LineResult& translation);

/// Blocks until all are done. Without models, texts stay as they are. If there are several models,
/// each except the last translates by beam search for the next one; options.search and the prefix
/// apply to the last. Throws the exceptions of TextTranslation and RequestQueue::translate().
std::vector<TranslatedText> translate_texts(const ServedPath& models,
                                            const std::vector<nmt::MarkedText>& texts,
                                            const TextOptions& options, const Patience& patience);
std::vector<TranslatedText> translate_texts(const ServedPath& models,
                                            const std::vector<std::string>& texts,
                                            const TextOptions& options, const Patience& patience);

}  // namespace dietmt::service
