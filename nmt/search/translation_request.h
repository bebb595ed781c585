// One sentence to translate, as ids.
#pragma once

#include <cstdint>
#include <vector>

namespace dietmt::nmt {

struct TranslationRequest {
  std::vector<int32_t> source;  // ends in end of sentence
  std::vector<int32_t> prefix;  // tokens that the translation must start with
  int64_t index = 0;            // of the sentence in its input: part of the key of sampling
};

}  // namespace dietmt::nmt
