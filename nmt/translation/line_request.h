// A line on its way through one or more models: what is asked for it, and what became of its text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/trimmed.h"
#include "data/text/glossary.h"
#include "data/text/tokenizer.h"
#include "nmt/alignment/inline_markup.h"
#include "nmt/alignment/kept_kinds.h"
#include "nmt/alignment/mnemonics.h"
#include "nmt/model/languages.h"
#include "nmt/search/search_task.h"
#include "nmt/translation/line_case.h"
#include "nmt/translation/word_case.h"

namespace dietmt::nmt {

enum class AlignmentKind { kNone, kHard, kSoft };

/// "none", "hard" or "soft". Throws ConfigError.
AlignmentKind alignment_from_name(const std::string& name);

struct LineOptions {
  LanguageChoice languages = {};             // of each line that has text
  const data::Glossary* glossary = nullptr;  // null: none; it outlives the coder
  std::vector<std::string> avoid = {};       // what no translation may contain; see check_avoided()
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
  std::vector<std::string> avoid = {};                       // with LineOptions::avoid
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
  bool has_unknown = false;  // text() has pieces that the vocabulary lacks
  /// Why the translation does not start with all of LineExtras::prefix; empty: it does.
  std::string prefix_problem = {};
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
  /// It, without the spaces around it, which translations do not have either.
  std::string_view copied() const { return trimmed(text(), " "); }
};

}  // namespace dietmt::nmt
