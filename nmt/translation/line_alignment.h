// What the attention of a translated line says: which words belong together, and where markup goes.
// For lines translated with SearchOptions::alignment.
#pragma once

#include <string>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/alignment/word_alignment.h"
#include "nmt/translation/translation_stream.h"

namespace dietmt::nmt {

/// One pair for each word of the translation (nmt/alignment/word_alignment.h); none if the line had
/// no text.
std::vector<WordPair> word_pairs(const TranslatedLine& line, const Hypothesis& translation,
                                 const data::Tokenizer& target_tokenizer);

/// The attention of each target token to each source token, both with end of sentence at their
/// end: [target tokens][source tokens]. Without the tokens of a tag before the line; none if the
/// line had no text.
std::vector<std::vector<float>> token_rows(const TranslatedLine& line,
                                           const Hypothesis& translation);

/// The source tokens of these rows, as pieces.
std::vector<std::string> source_pieces(const TranslatedLine& line,
                                       const data::Tokenizer& source_tokenizer);

/// The text of a translation with the markup of its line. A line of nothing but markup is its own
/// translation.
std::string with_markup(const TranslatedLine& line, const Hypothesis& translation,
                        const data::Tokenizer& target_tokenizer);

}  // namespace dietmt::nmt
