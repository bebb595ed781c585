#include "nmt/batch_decoding/decoder_loader.h"

#include "common/error.h"
#include "nmt/batch_decoding/batch_decoder.h"
#include "nmt/batch_decoding/model_list.h"
#include "nmt/engine/engine_decoder.h"
#include "nmt/packing/engine_files.h"
#include "nmt/packing/pack_model.h"

namespace dietmt::nmt {

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

LoadedDecoder load_decoder(const std::string& directories, const DecoderOptions& options) {
  if (!options.device.is_cpu()) {
    if (!options.shortlist.empty())
      throw ConfigError("--shortlist works on the CPU alone: leave --device");
    LoadedDecoder loaded;
    loaded.models = std::make_shared<const ModelList>(directories, options.device);
    const Tokenizers tokenizers = loaded.models->tokenizers();
    loaded.source_tokenizer = tokenizers.source;
    loaded.target_tokenizer = tokenizers.target;
    loaded.special = SpecialTokens::of(*tokenizers.target);
    loaded.decoder = make_decoder(loaded.models->pointers(), loaded.special);
    return loaded;
  }
  EngineModelList models;
  for (const std::string& directory : split_directories(directories)) {
    const ModelFiles files = open_model(directory);
    models.add(files, load_engine_model(files, options.weights));
  }
  return std::move(models).decoder(options.shortlist);
}

}  // namespace dietmt::nmt
