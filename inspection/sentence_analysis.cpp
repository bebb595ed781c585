#include "inspection/sentence_analysis.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "common/error.h"
#include "data/text/source_tag.h"
#include "nmt/tensor_decoding/attention_maps.h"
#include "nmt/tensor_decoding/decoder_loader.h"

namespace dietmt::inspection {
namespace {

std::vector<int32_t> tokens_of(const data::Tokenizer& tokenizer, const std::string& tag,
                               const std::string& text, int64_t longest, const char* side) {
  std::vector<int32_t> ids = tokenizer.encode(data::SourceTag(tokenizer, tag).before(text));
  ids.push_back(tokenizer.end_id());
  const int64_t limit = std::min(kLargestAnalysis, longest);
  if (std::ssize(ids) > limit) {
    throw RequestError("the " + std::string(side) + " has " + std::to_string(ids.size()) +
                       " tokens; at most " + std::to_string(limit) + " can be shown");
  }
  return ids;
}

std::vector<std::string> pieces_of(const data::Tokenizer& tokenizer,
                                   const std::vector<int32_t>& ids) {
  std::vector<std::string> pieces;
  for (const int32_t id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

reporting::HeadMatrices matrices(const std::vector<at::Tensor>& layers) {
  if (layers.empty()) return {};
  const at::Tensor all = at::stack(layers).to(at::kCPU, at::kFloat).contiguous();  // [L, H, T, S]
  const float* first = all.const_data_ptr<float>();
  return {all.size(0), all.size(1), all.size(2), all.size(3), {first, first + all.numel()}};
}

}  // namespace

reporting::SentenceAnalysis analyse_sentence(const nmt::LoadedModel& model, const std::string& text,
                                             std::string translation,
                                             const nmt::LanguageChoice& languages) {
  const data::Tokenizer& source_tokenizer = *model.source_tokenizer;
  const data::Tokenizer& target_tokenizer = *model.target_tokenizer;
  const nmt::LanguageTags tags = model.model->config().languages.tags(languages);
  const std::vector<int32_t> source =
      tokens_of(source_tokenizer, tags.source, text, model.model->max_source_length(), "text");
  if (translation.empty()) {
    translation = nmt::translate_lines(*model.model, source_tokenizer, target_tokenizer,
                                       std::span(&text, 1), {}, languages)[0];
  }
  const std::vector<int32_t> target = tokens_of(target_tokenizer, tags.target, translation,
                                                model.model->max_target_length(), "translation");
  const nmt::AttentionMaps maps =
      nmt::attention_maps(*model.model, source, target, target_tokenizer.begin_id());

  reporting::SentenceAnalysis analysis;
  analysis.source_tokens = pieces_of(source_tokenizer, source);
  analysis.target_tokens = pieces_of(target_tokenizer, target);
  analysis.encoder_attention = matrices(maps.encoder);
  analysis.decoder_attention = matrices(maps.decoder);
  analysis.cross_attention = matrices(maps.cross);
  analysis.encoder_positions = matrices(maps.encoder_positions);
  analysis.decoder_positions = matrices(maps.decoder_positions);
  return analysis;
}

}  // namespace dietmt::inspection
