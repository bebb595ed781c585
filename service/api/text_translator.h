// Translates texts of any length: splits them into sentences, translates these as one request of
// the model's queue, and joins them again with the spacing or markup between the sentences.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/text/glossary.h"
#include "data/text/tokenizer.h"
#include "nmt/alignment/inline_markup.h"
#include "nmt/search/search_options.h"
#include "service/api/model_path.h"
#include "service/api/output_guard.h"
#include "service/documents/document.h"

namespace dietmt::service {

struct TextOptions {
  std::string language;  // of the source, for the rules of splitting
  bool html = false;
  bool markup = false;  // tags and placeholders of a plain text move with its words
  bool split = true;    // false: a text is one sentence
  // For models that read context:
  bool document = false;                  // the texts continue each other, up to one without words
  std::vector<std::string> context = {};  // source text before each text, or before the document
  /// Of each text of a document: it is only read by the texts after it, without its markup. Empty:
  /// all are translated.
  std::vector<bool> only_context = {};
  bool pieces = false;        // fill TranslatedSentence::Found::pieces
  bool check_copies = false;  // fill Found::missing_copies
  bool attention = false;     // and Found::attention and source_pieces; with search.alignment
  std::string prefix = "";    // of each sentence's translation
  std::shared_ptr<const data::Glossary> glossary = nullptr;  // null: none
  nmt::SearchOptions search = {};
  Guard guard = Guard::kOff;
};

struct TranslatedSentence {
  struct Found {
    std::string text = {};
    Translation parts = {};  // of the text, if the sentence has markup
    double score = 0.0;
    std::vector<nmt::WordPair> alignment = {};  // only with options.search.alignment
    std::vector<std::string> pieces = {};       // including end of sentence
    std::vector<float> piece_scores = {};
    std::vector<float> attention = {};             // [pieces, TranslatedSentence::source_pieces]
    std::vector<std::string> missing_copies = {};  // of data::missing_copies()
    std::vector<std::string> missing_terms = {};   // target terms of the glossary that it lacks
  };
  Translation before;                      // spacing or markup, unchanged
  std::string source;                      // without markup
  nmt::MarkedText marked;                  // what the last model translates, if it has markup
  std::vector<data::TextSpan> spans;       // the bytes of its tokens, if the decoder aligns
  std::vector<std::string> source_pieces;  // including end of sentence; if options.attention
  int64_t source_tokens = 0;               // translated, including end of sentence
  int64_t cut_tokens = 0;                  // beyond the limit of the model or the options
  size_t bytes_read = 0;            // of the source, before the tokens that the first model cut
  std::vector<std::string> pivots;  // the translations of all models but the last
  int64_t target_tokens = 0;        // of the best translation, including end of sentence
  std::vector<const data::GlossaryTerm*> terms;  // of TextOptions::glossary
  GuardOutcome guard;                            // of the last model's translations
  std::vector<Found> translations;               // best first
};

struct TranslatedText {
  std::vector<TranslatedSentence> sentences;
  Translation after;

  /// The text with the n-th translation of each sentence, or the last if there are fewer.
  Translation parts(size_t n = 0) const;
  std::string joined(size_t n = 0) const { return nmt::join(parts(n)); }

  bool was_cut() const;
};

/// Blocks until all are done. Of several models, each but the last translates a sentence into one
/// by beam search, which the next one takes; options.search and the prefix are for the last. Throws
/// the exceptions of RequestQueue::translate().
std::vector<TranslatedText> translate_texts(const ServedPath& models,
                                            const std::vector<nmt::MarkedText>& texts,
                                            const TextOptions& options, const Patience& patience);
std::vector<TranslatedText> translate_texts(const ServedPath& models,
                                            const std::vector<std::string>& texts,
                                            const TextOptions& options, const Patience& patience);

}  // namespace dietmt::service
