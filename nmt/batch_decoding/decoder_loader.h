// Decoders of models: in memory, or on disk with all that a program needs beside them.
//
//   const LoadedDecoder loaded = load_decoder("model", {.weights = kernels::WeightType::kInt8});
//   loaded.decoder->run(feed, workers, threads, batch_tokens);
#pragma once

#include <c10/core/Device.h>

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

/// The models of `--model DIR[,DIR...]`: one, or an ensemble with one vocabulary.
class ModelList {
 public:
  /// `directories`: separated by commas. Throws CheckpointError if one cannot be loaded,
  /// ConfigError if the tokenizers are not the same.
  ModelList(const std::string& directories, c10::Device device);

  std::vector<const TranslationModel*> pointers() const;
  const data::Tokenizer& source_tokenizer() const { return *models_.front().source_tokenizer; }
  const data::Tokenizer& target_tokenizer() const { return *models_.front().target_tokenizer; }

  Tokenizers tokenizers() const {
    return {models_.front().source_tokenizer, models_.front().target_tokenizer};
  }

 private:
  std::vector<LoadedModel> models_;
};

/// One model, or an ensemble with one vocabulary. On the CPU the engine, with a copy of the weights
/// of type `weights`; elsewhere the models themselves, which are kept by pointer.
std::unique_ptr<const SentenceDecoder> make_decoder(
    std::span<const TranslationModel* const> models, const SpecialTokens& special,
    kernels::WeightType weights = kernels::WeightType::kFloat);

struct DecoderOptions {
  c10::Device device = c10::kCPU;
  // Only for the CPU:
  std::optional<kernels::WeightType> weights = {};  // none: as the directory has them
  std::filesystem::path shortlist = {};             // data/shortlist/shortlist.h; empty: none
};

/// `directories`: one, or those of an ensemble separated by commas. Throws CheckpointError if one
/// cannot be loaded, DataError for a shortlist that does not fit, ConfigError if the tokenizers are
/// not the same or an option asks for what there is not.
LoadedDecoder load_decoder(const std::string& directories, const DecoderOptions& options);

/// The best translation of each line, as translate_lines() of a Translator makes them, with as many
/// workers as LibTorch has threads, unless `options` say more.
std::vector<std::string> translate_lines(const TranslationModel& model,
                                         const data::Tokenizer& source_tokenizer,
                                         const data::Tokenizer& target_tokenizer,
                                         std::span<const std::string> lines,
                                         const SearchOptions& options);

}  // namespace dietmt::nmt
