// A model as the service sees it: functions from text to tokens and back, and a decoder. The
// service does not depend on LibTorch or on a kind of tokenizer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/sentence_context.h"
#include "data/text/tokenizer.h"
#include "nmt/search/sentence_feed.h"
#include "service/scheduling/model_spec.h"

namespace dietmt::service {

/// Several threads call the functions at once. Tokens do not include end of sentence.
struct LoadedModel {
  std::shared_ptr<const nmt::SentenceDecoder> decoder;
  std::function<std::vector<int32_t>(std::string_view)> encode_source;
  std::function<std::vector<int32_t>(std::string_view)> encode_target;
  std::function<std::string(std::span<const int32_t>)> decode_target;
  std::function<std::string(int32_t)> source_piece;
  std::function<std::string(int32_t)> target_piece;
  // The same with the bytes of each token in the text; for a decoder that aligns.
  std::function<data::SpannedPieces(std::string_view)> encode_source_with_spans = {};
  std::function<data::SpannedText(std::span<const int32_t>)> decode_target_with_spans = {};
  data::SentenceContext context = {};
  int32_t source_end = 2;  // end of sentence in the source vocabulary
  int64_t target_vocabulary = 0;
  int32_t target_unknown = -1;  // -1: none
};

/// Reads a model from its directory. Throws Error.
using ModelLoader = std::function<LoadedModel(const ModelSpec&)>;

}  // namespace dietmt::service
