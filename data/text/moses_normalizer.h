// The steps before Moses' tokenizer, named after its scripts.
#pragma once

#include <string_view>

#include "data/text/moses.h"

namespace dietmt::data {

/// normalize-punctuation.perl, with the rules of `language` ("en").
void normalize_punctuation(std::string_view language, Characters& text);

/// False for control characters and others of Unicode's category C (remove-non-printing-char.perl).
bool is_printed(char32_t code);

void normalize_for_moses(const MosesLanguage& language, MosesSteps steps, Characters& text);

}  // namespace dietmt::data
