// Makes decoders from models in memory, or from models on disk with everything else that a program
// needs.
//
//   const LoadedDecoder loaded = load_decoder({"model"}, {.weights = kernels::WeightType::kInt8});
//   loaded.decoder->run(feed, workers, threads, batch_tokens);
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/text/tokenizer.h"
#include "kernels/packed_linear.h"
#include "nmt/network/model_directory.h"
#include "nmt/network/translation_model.h"
#include "nmt/search/search_options.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::nmt {

/// The models of `--model`: one, or an ensemble with one vocabulary.
class ModelList {
 public:
  /// Throws CheckpointError if one cannot be loaded, and ConfigError if their tokenizers, their
  /// languages or the context that they read differ.
  ModelList(const std::vector<std::string>& directories, c10::Device device);

  std::vector<const TranslationModel*> pointers() const;
  const data::Tokenizer& source_tokenizer() const { return *models_.front().source_tokenizer; }
  const data::Tokenizer& target_tokenizer() const { return *models_.front().target_tokenizer; }

  /// The context that all of them read.
  data::SentenceContext context() const { return models_.front().context(); }
  const ModelConfig& first_config() const { return models_.front().model->config(); }

  Tokenizers tokenizers() const {
    return {models_.front().source_tokenizer, models_.front().target_tokenizer};
  }

 private:
  std::vector<LoadedModel> models_;
};

/// A decoder for one model, or for an ensemble with one vocabulary. On the CPU it is the engine,
/// with its own copy of the weights, of type `weights`; on another device it keeps the pointers.
std::unique_ptr<const SentenceDecoder> make_decoder(
    std::span<const TranslationModel* const> models, const SpecialTokens& special,
    kernels::WeightType weights = kernels::WeightType::kFloat);

struct DecoderOptions {
  std::vector<c10::Device> devices = {c10::kCPU};  // the CPU, or GPUs, each with the whole model
  // Only for the CPU:
  std::optional<kernels::WeightType> weights = {};  // none: the directory's type
  std::filesystem::path shortlist = {};             // data/shortlist/shortlist.h; empty: none
  // Only for other devices, which compute in it; none: fp32.
  std::optional<c10::ScalarType> device_type = {};
};

/// `weights`: as named by --weights; "auto" is bf16 on a device with kernels for it. Throws
/// ConfigError for types that the devices do not support.
DecoderOptions decoder_options(std::vector<c10::Device> devices, const std::string& weights,
                               const std::filesystem::path& shortlist);

/// `directories`: one, or those of an ensemble. Throws CheckpointError if one cannot be loaded,
/// DataError if the shortlist was made for other vocabularies, and ConfigError if the tokenizers
/// differ or the device or the weights do not work with the other options.
LoadedDecoder load_decoder(const std::vector<std::string>& directories,
                           const DecoderOptions& options);

/// The best translation of each line, as from translate_lines() with a Translator. Without
/// options.workers it uses as many workers as LibTorch has threads.
std::vector<std::string> translate_lines(const TranslationModel& model,
                                         const data::Tokenizer& source_tokenizer,
                                         const data::Tokenizer& target_tokenizer,
                                         std::span<const std::string> lines,
                                         const SearchOptions& options,
                                         const LanguageChoice& languages = {});

}  // namespace dietmt::nmt
