#include "nmt/decoding/decoder_loader.h"

#include "common/error.h"
#include "data/shortlist/shortlist.h"
#include "nmt/decoding/batch_decoder.h"
#include "nmt/decoding/engine/engine_decoder.h"
#include "nmt/decoding/engine/engine_files.h"
#include "nmt/decoding/model_list.h"

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

namespace {

OutputShortlist open_shortlist(const std::filesystem::path& file, const Tokenizers& tokenizers) {
  if (file.empty()) return {};
  const auto opened =
      std::make_shared<const data::Shortlist>(file, *tokenizers.source, *tokenizers.target);
  return [opened](std::span<const int32_t> source, std::vector<int32_t>& tokens) {
    opened->candidates(source, tokens);
  };
}

}  // namespace

LoadedDecoder load_decoder(const std::string& directories, const DecoderOptions& options) {
  LoadedDecoder loaded;
  const auto take_tokenizers = [&](const Tokenizers& tokenizers) {
    loaded.source_tokenizer = tokenizers.source;
    loaded.target_tokenizer = tokenizers.target;
    loaded.special = SpecialTokens::of(*tokenizers.target);
  };
  if (!options.device.is_cpu()) {
    if (!options.shortlist.empty())
      throw ConfigError("--shortlist works on the CPU alone: leave --device");
    loaded.models = std::make_shared<const ModelList>(directories, options.device);
    take_tokenizers(loaded.models->tokenizers());
    loaded.decoder = make_decoder(loaded.models->pointers(), loaded.special);
    return loaded;
  }
  std::vector<EngineModel> models;
  std::optional<ModelFiles> first;
  for (const std::string& directory : split_directories(directories)) {
    const ModelFiles files = open_model(directory);
    if (!first) first = files;
    require_same_tokenizers(first->directory, first->tokenizers, files.directory, files.tokenizers);
    models.push_back(load_engine_model(files, options.weights));
  }
  take_tokenizers(first->tokenizers);
  loaded.decoder = std::make_unique<EngineDecoder>(
      std::move(models), loaded.special, open_shortlist(options.shortlist, first->tokenizers));
  return loaded;
}

}  // namespace dietmt::nmt
