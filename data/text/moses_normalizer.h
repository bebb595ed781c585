// The steps before Moses' tokenizer, named after its scripts.
#pragma once

#include "data/text/moses.h"

namespace dietmt::data {

void normalize_for_moses(const MosesLanguage& language, MosesSteps steps, Characters& text);

}  // namespace dietmt::data
