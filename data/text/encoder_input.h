// The input of an encoder-only model (Devlin et al. 2019, 3.1) from one text or two:
//
//   [CLS] first [SEP]      [CLS] first [SEP] second [SEP]
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/text/bert_tokenizer.h"

namespace dietmt::data {

struct EncoderInput {
  std::vector<int32_t> ids = {};
  int64_t second_begin = 0;  // segment 1 begins there; ids.size() without a second text
  int64_t cut = 0;           // pieces that did not fit
};

/// An input of at most `max_length` >= 3 pieces. Removes pieces one by one from the end of the
/// longer text, or of the second one if both are equally long.
EncoderInput encoder_input(std::span<const int32_t> first,
                           std::optional<std::span<const int32_t>> second,
                           const SpecialPieces& special, int64_t max_length);

}  // namespace dietmt::data
