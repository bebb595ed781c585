#include "nmt/decoding/decoder_loader.h"

#include "common/error.h"
#include "nmt/decoding/batch_decoder.h"
#include "nmt/decoding/engine/engine_decoder.h"
#include "nmt/decoding/model_list.h"

namespace dietmt::nmt {

kernels::WeightType parse_weight_type(const std::string& name) {
  if (name == "fp32") return kernels::WeightType::kFloat;
  if (name == "bf16") return kernels::WeightType::kBFloat16;
  if (name == "int8") return kernels::WeightType::kInt8;
  throw ConfigError("no weights '" + name + "'; possible: fp32, bf16, int8");
}

std::unique_ptr<const SentenceDecoder> make_decoder(std::span<const TranslationModel* const> models,
                                                    const SpecialTokens& special,
                                                    kernels::WeightType weights) {
  if (!models.front()->output_weight().is_cpu())
    return std::make_unique<BatchDecoder>(
        std::vector<const TranslationModel*>(models.begin(), models.end()), special);
  std::vector<EngineModel> packed;
  for (const TranslationModel* model : models) packed.push_back(make_engine_model(*model, weights));
  return std::make_unique<EngineDecoder>(std::move(packed), special);
}

LoadedDecoder load_decoder(const std::string& directories, c10::Device device,
                           kernels::WeightType weights) {
  const auto models = std::make_shared<const ModelList>(directories, device);
  LoadedDecoder loaded;
  loaded.source_tokenizer = models->shared_source_tokenizer();
  loaded.target_tokenizer = models->shared_target_tokenizer();
  loaded.special = SpecialTokens::of(*loaded.target_tokenizer);
  loaded.decoder = make_decoder(models->pointers(), loaded.special, weights);
  if (!device.is_cpu()) loaded.models = models;
  return loaded;
}

}  // namespace dietmt::nmt
