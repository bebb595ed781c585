#include "nmt/tensor_decoding/decoder_loader.h"

#include <ATen/Parallel.h>

#include "common/error.h"
#include "encoders/device/device.h"
#include "nmt/engine/engine_decoder.h"
#include "nmt/engine/stored_weights.h"
#include "nmt/packing/engine_models.h"
#include "nmt/tensor_decoding/replicated_decoder.h"
#include "nmt/tensor_decoding/tensor_decoder.h"
#include "nmt/translation/translator.h"

namespace dietmt::nmt {

ModelList::ModelList(const std::vector<std::string>& directories, c10::Device device) {
  for (const std::string& directory : directories) {
    models_.push_back(load_model(directory, device));
    const LoadedModel& last = models_.back();
    require_same_tokenizers(models_.front().directory, tokenizers(), last.directory,
                            {last.source_tokenizer, last.target_tokenizer});
    require_same_context(models_.front().directory, context(), last.directory, last.context());
    require_same_languages(models_.front().directory, first_config().languages, last.directory,
                           last.model->config().languages);
  }
}

std::vector<const TranslationModel*> ModelList::pointers() const {
  std::vector<const TranslationModel*> all;
  for (const LoadedModel& loaded : models_) all.push_back(loaded.model.get());
  return all;
}

namespace {

// The keys of xPos grow by up to 2^100, which bf16 and fp32 can represent.
void require_range_of_half(const ModelList& models) {
  for (const TranslationModel* model : models.pointers())
    for (const std::string& position :
         {model->config().encoder_position, model->config().decoder_position})
      if (position.find("xpos") != std::string::npos)
        throw ConfigError("--weights fp16 does not hold the keys of " + position + ": use bf16");
}

}  // namespace

std::unique_ptr<const SentenceDecoder> make_decoder(std::span<const TranslationModel* const> models,
                                                    const SpecialTokens& special,
                                                    kernels::WeightType weights) {
  if (!models.front()->output_weight().is_cpu())
    return std::make_unique<TensorDecoder>(
        std::vector<const TranslationModel*>(models.begin(), models.end()), special);
  std::vector<EngineModel> packed;
  for (const TranslationModel* model : models) packed.push_back(make_engine_model(*model, weights));
  return std::make_unique<EngineDecoder>(std::move(packed), special);
}

DecoderOptions decoder_options(std::vector<c10::Device> devices, const std::string& weights,
                               const std::filesystem::path& shortlist) {
  const c10::Device first = devices.front();
  DecoderOptions options{.devices = std::move(devices), .shortlist = shortlist};
  if (first.is_cpu()) {
    options.weights = parse_weight_choice(weights);
  } else if (weights == "int8") {
    throw ConfigError("--weights int8 needs --device cpu");
  } else if (weights == "fp16") {
    options.device_type = at::kHalf;
  } else if (weights == "bf16" || (weights == "auto" && encoders::device_kernels(first))) {
    options.device_type = at::kBFloat16;
  }
  return options;
}

namespace {

LoadedDecoder load_device_decoder(const std::vector<std::string>& directories,
                                  const DecoderOptions& options) {
  if (!options.shortlist.empty()) throw ConfigError("--shortlist needs --device cpu");
  LoadedDecoder loaded;
  std::vector<ReplicatedDecoder::Replica> replicas;
  for (const c10::Device device : options.devices) {
    const auto models = std::make_shared<const ModelList>(directories, device);
    if (options.device_type == at::kHalf) require_range_of_half(*models);
    if (replicas.empty()) {
      const Tokenizers tokenizers = models->tokenizers();
      const ModelConfig& config = models->first_config();
      loaded.models = models;
      loaded.source_tokenizer = tokenizers.source;
      loaded.target_tokenizer = tokenizers.target;
      loaded.special = SpecialTokens::of(*tokenizers.target);
      loaded.context = models->context();
      loaded.languages = config.languages;
      loaded.search = config.search;
      loaded.suppressed = suppressed_tokens(config.suppressed, *tokenizers.target);
    }
    replicas.push_back({models, std::make_unique<TensorDecoder>(models->pointers(), loaded.special,
                                                                options.device_type)});
  }
  loaded.decoder = std::make_unique<ReplicatedDecoder>(std::move(replicas));
  return loaded;
}

}  // namespace

LoadedDecoder load_decoder(const std::vector<std::string>& directories,
                           const DecoderOptions& options) {
  if (!options.devices.front().is_cpu()) return load_device_decoder(directories, options);
  EngineModelList models;
  for (const std::string& directory : directories) {
    const ModelFiles files = open_model(directory);
    models.add(files, load_engine_model(files, options.weights));
  }
  return std::move(models).decoder(options.shortlist);
}

std::vector<std::string> translate_lines(const TranslationModel& model,
                                         const data::Tokenizer& source_tokenizer,
                                         const data::Tokenizer& target_tokenizer,
                                         std::span<const std::string> lines,
                                         const SearchOptions& options,
                                         const LanguageChoice& languages) {
  SearchOptions own = options;
  if (own.workers == 0)
    own.workers = at::get_num_threads();  // as many threads as this program may use
  const TranslationModel* const models[] = {&model};
  const auto borrowed = [](const data::Tokenizer& one) {
    return std::shared_ptr<const data::Tokenizer>(std::shared_ptr<void>(), &one);
  };
  LoadedDecoder loaded{
      .source_tokenizer = borrowed(source_tokenizer),
      .target_tokenizer = borrowed(target_tokenizer),
      .special = SpecialTokens::of(target_tokenizer),
      .context = sentence_context(model.config(), source_tokenizer, target_tokenizer),
      .languages = model.config().languages,
      .suppressed = suppressed_tokens(model.config().suppressed, target_tokenizer)};
  loaded.decoder = make_decoder(models, loaded.special);
  return translate_lines(Translator(std::move(loaded), own), lines, languages);
}

}  // namespace dietmt::nmt
