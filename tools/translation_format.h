// What `dietmt translate` prints.
#pragma once

#include <span>
#include <string>

#include "nmt/translation/translation_stream.h"

namespace dietmt::tools {

struct TranslationForm {
  int64_t nbest = 1;  // above 1: `line ||| text ||| score`
  bool scores = false;
  bool json = false;
  bool tsv = false;         // the columns of the line before those of its translation
  bool remove_bpe = false;  // join words that the text's own BPE has cut
  nmt::AlignmentKind alignment = nmt::AlignmentKind::kNone;
  // JSON has these for a glossary, for --check copies, and for two models.
  bool missing_terms = false;
  bool missing_copies = false;
  bool pivot = false;
};

/// What formatted() adds to the line of TSV that names its columns.
std::string added_columns(const TranslationForm& form);

/// The text of a translation.
std::string translation_text(const nmt::LineResult& found, const TranslationForm& form);

/// The output for one input line, without its last line feed. `qualities`: of its translations, for
/// JSON; empty: none.
std::string formatted(const nmt::TranslatedLine& line, const TranslationForm& form,
                      std::span<const double> qualities = {});

/// Says what is wrong with a degenerate translation, and names each term of the glossary, and each
/// number, address and name of the source, that the best translation lacks.
void warn_of_problems(const nmt::TranslatedLine& line);

}  // namespace dietmt::tools
