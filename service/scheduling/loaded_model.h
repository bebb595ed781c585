// A model as the service sees it: what turns text to tokens, tokens to translations, and those to
// text. The service knows neither LibTorch nor a tokenizer's kind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/search/sentence_feed.h"
#include "service/scheduling/model_spec.h"

namespace dietmt::service {

/// The functions are called by several threads at once. Tokens are without end of sentence.
struct LoadedModel {
  std::shared_ptr<const nmt::SentenceDecoder> decoder;
  std::function<std::vector<int32_t>(std::string_view)> encode_source;
  std::function<std::vector<int32_t>(std::string_view)> encode_target;
  std::function<std::string(std::span<const int32_t>)> decode_target;
  std::function<std::string(int32_t)> target_piece;
  int32_t source_end = 2;  // end of sentence in the source vocabulary
};

/// Reads a model from its directory. Throws Error.
using ModelLoader = std::function<LoadedModel(const ModelSpec&)>;

}  // namespace dietmt::service
