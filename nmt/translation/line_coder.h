// Converts a line of text into a request for a model, and the hypotheses found into results. The
// command, the library and the server all translate through it, so that source tags, cut lines,
// glossaries, document context, markup, prefixes, checks and alignments work the same everywhere.
//
//   LineCoder coder(model, search, {.markup = true});
//   LineRequest line = coder.prepare("Click <b>here</b>.");
//   const NBest found = line.has_text ? decode(std::move(line.request)) : NBest();
//   coder.finish(line, found).front().text;  // "<b>Hier</b> klicken."
//
// If a second model translates the first one's output, it has its own coder:
//
//   second.advance(line, first, found.front());
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/glossary.h"
#include "data/text/source_tag.h"
#include "data/text/tokenizer.h"
#include "nmt/alignment/inline_markup.h"
#include "nmt/alignment/kept_kinds.h"
#include "nmt/alignment/mnemonics.h"
#include "nmt/alignment/word_alignment.h"
#include "nmt/model/languages.h"
#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"
#include "nmt/translation/document_context.h"
#include "nmt/translation/kept_finder.h"
#include "nmt/translation/line_case.h"
#include "nmt/translation/loaded_decoder.h"
#include "nmt/translation/word_case.h"

namespace dietmt::nmt {

enum class AlignmentKind { kNone, kHard, kSoft };

/// "none", "hard" or "soft". Throws ConfigError.
AlignmentKind alignment_from_name(const std::string& name);

struct LineOptions {
  LanguageChoice languages = {};             // of each line that has text
  const data::Glossary* glossary = nullptr;  // null: none; it outlives the coder
  bool markup = false;                       // remove all KeptKinds from lines
  KeptKinds keep = {};  // what keep_text() makes sure of; ignored with `markup`
  /// Fills LineResult::alignment or ::attention. Needs SearchOptions::alignment.
  AlignmentKind alignment = AlignmentKind::kNone;
  bool check_copies = false;  // fill LineResult::missing_copies
  bool pieces = false;        // fill LineResult::pieces
  /// Translate lines in capitals and headlines in the usual case (nmt/translation/line_case.h). If
  /// the search aligns, the case of single words is restored too (nmt/translation/word_case.h).
  bool restores_case = false;
  bool is_last = true;  // the last of several models, which applies glossary and prefix
};

/// Additional data for a line.
struct LineExtras {
  int64_t index = 0;  // of the line in its input: part of the sampling key
  std::optional<LanguageChoice> languages = {};              // instead of LineOptions::languages
  std::shared_ptr<const data::Glossary> glossary = nullptr;  // instead of LineOptions::glossary
  /// That the translation must start with. If it ends inside a word, or at its end, the word is
  /// completed; a space after it ends the word.
  std::string prefix = {};
  std::string where = {};  // "file:line", for warnings; empty: no warnings
  std::string prefix_where = {};
};

/// A line being translated by one or more models.
struct LineRequest {
  LineExtras extras = {};
  std::string source = {};               // without markup, in the usual case
  MarkedText marked = {};                // with markup, what the next model translates
  std::vector<std::string> pivots = {};  // translations by all models except the last

  /// Whether there is anything to translate. If not, the line has no request, and finish() needs no
  /// hypotheses.
  bool has_text = false;
  /// Whether the line is its own translation: it has no letter, as in `12:30`, or only what must
  /// be kept.
  bool is_copied = false;
  bool has_unknown = false;               // text() has pieces that the vocabulary lacks
  Mnemonic mnemonic = {};                 // taken out of source; finish() puts it back
  LineCase text_case = LineCase::kUsual;  // that finish() gives the translations
  std::vector<WordCase> word_cases = {};  // of source, if the search aligns; empty: none to restore
  TranslationRequest request = {};        // for the next model; may be moved away

  // The source as the first model reads it:
  int64_t tokens = 0;      // including the tag and end of sentence
  int64_t cut_tokens = 0;  // beyond a model's limit; counted only as far as the line was read
  std::vector<const data::GlossaryTerm*> terms = {};     // of the glossary, for each occurrence
  std::vector<const data::GlossaryTerm*> required = {};  // those in the part that was not cut off

  // What the next model reads, only if the search aligns: the bytes of its tokens in text(),
  // negative for a tag's; the number of tag tokens; and for AlignmentKind::kSoft the other pieces.
  std::vector<data::TextSpan> spans = {};
  int64_t tag_tokens = 0;
  std::vector<std::string> pieces = {};  // with end of sentence

  std::vector<int32_t> context = {};  // tokens of preceding sentences at the start of the request
  int32_t context_separator = -1;     // TranslationRequest::context_separator

  std::string untranslated = {};  // translation of a line without text: its markup, or itself

  /// What the next model translates.
  const std::string& text() const { return pivots.empty() ? source : pivots.back(); }
};

/// One translation of a line.
struct LineResult {
  std::string text = {};
  std::vector<MarkedPart> parts = {};  // of the text, if the line has markup
  double score = 0.0;
  std::vector<float> token_scores = {};
  std::vector<std::string> pieces = {};          // with end of sentence
  std::vector<std::string> missing_terms = {};   // target terms of the glossary that it lacks
  std::vector<std::string> missing_copies = {};  // from data::missing_copies()
  std::vector<WordPair> alignment = {};
  /// From each target token to LineRequest::pieces, both with end of sentence.
  std::vector<std::vector<float>> attention = {};
};

/// Codes lines for one model. prepare() and advance() take the lines of a document in order;
/// finish() may run on other threads meanwhile.
class LineCoder {
 public:
  /// `model` must outlive the coder. Throws DataError for a language that the model does not have,
  /// and if a tag is not a piece of the tokenizer.
  LineCoder(const LoadedDecoder& model, const SearchOptions& search, LineOptions options);

  /// `line`: UTF-8. Throws DataError as the constructor does, and if the model needs a language
  /// that nobody has chosen.
  LineRequest prepare(std::string line, LineExtras extras = {});
  LineRequest prepare(MarkedText line, LineExtras extras = {});

  /// Finds text of these kinds in lines for this model.
  KeptFinder finder(KeptKinds kinds) const { return {model_.source_tokenizer.get(), kinds}; }

  /// Whether prepare() would cut the line.
  bool is_too_long(const std::string& line, const LineExtras& extras);

  /// Turns `line`, for which the model of `before` found `best`, into a request for this model.
  void advance(LineRequest& line, const LineCoder& before, const Hypothesis& best);

  /// The results of a line, best first; one for a line without text.
  std::vector<LineResult> finish(const LineRequest& line, const NBest& found) const;
  LineResult finish(const LineRequest& line, const Hypothesis& found) const;

  /// What the line has of LineOptions::keep and its translation lacks. Nothing, if the line has
  /// marks.
  std::vector<std::string> lost_text(const LineRequest& line, const LineResult& best) const;

  /// `line` without what it has of LineOptions::keep, or `only` these parts of it, for another
  /// translation. Its request reads the same context.
  LineRequest without_kept_text(const LineRequest& line, std::span<const std::string> only) const;

  bool aligns() const { return model_.decoder->aligns(); }
  const LineOptions& options() const { return options_; }

  /// The sentences before the next line.
  const DocumentContext& document() const { return document_; }
  void continue_document(const DocumentContext& document) { document_ = document; }
  void end_document() { document_.end(); }

 private:
  struct Decoded;
  struct Tags {
    data::SourceTag source;
    std::vector<int32_t> target;  // the piece before each translation, or none
  };

  LineRequest prepared(LineRequest line);
  void without_mnemonic(LineRequest& line) const;
  void put_in_usual_case(LineRequest& line) const;
  const Tags& tags_of(const LanguageChoice& choice);
  const Tags& tags_of(const LineRequest& line);
  KeptFinder finder_for(const LineRequest& line) const;
  bool is_copied(const LineRequest& line, KeptKinds keep) const;
  void copy(LineRequest& line) const;
  void encode(LineRequest& line, const data::SourceTag& tag) const;
  void find_terms(LineRequest& line, const data::SourceTag& tag) const;
  const data::Glossary* glossary_of(const LineExtras& extras) const;
  void add_demands(LineRequest& line, const Tags& tags) const;
  void complete(LineRequest& line, const Tags& tags);
  void add_prefix(LineRequest& line) const;
  Decoded decoded(const LineRequest& line, const Hypothesis& found) const;

  const LoadedDecoder& model_;
  const SearchOptions search_;
  const LineOptions options_;
  const bool aligns_;
  const bool reads_letters_;
  const int64_t most_source_;  // in tokens
  std::map<LanguageChoice, Tags> tags_;
  DocumentContext document_;
};

}  // namespace dietmt::nmt
