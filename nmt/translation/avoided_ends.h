// Turns texts that translations must not contain into tokens that must not follow.
#pragma once

#include <string>
#include <vector>

#include "nmt/search/avoided_texts.h"
#include "nmt/translation/piece_index.h"

namespace dietmt::nmt {

/// Throws DataError if there are more than 100 texts, or one is empty or has more than 200
/// characters.
void check_avoided(const std::vector<std::string>& texts);

/// Each text, and if it begins with a small letter also with a capital one, in all ways in which
/// pieces can spell it. Throws DataError if the vocabulary is no sentencepiece model's.
std::vector<AvoidedTexts::End> ends_of(const std::vector<std::string>& texts,
                                       const PieceIndex& pieces);

}  // namespace dietmt::nmt
