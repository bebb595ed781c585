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

#include "kernels/packed_linear.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::nmt {

class TranslationModel;

/// One model, or an ensemble with one vocabulary. On the CPU the engine, with a copy of the weights
/// of type `weights`; elsewhere the models themselves, which are kept by pointer.
std::unique_ptr<const SentenceDecoder> make_decoder(
    std::span<const TranslationModel* const> models, const SpecialTokens& special,
    kernels::WeightType weights = kernels::WeightType::kFloat);

struct DecoderOptions {
  c10::Device device = c10::kCPU;
  // On the CPU alone:
  std::optional<kernels::WeightType> weights = {};  // none: as the directory has them
  std::filesystem::path shortlist = {};             // data/shortlist/shortlist.h; empty: none
};

/// `directories`: one, or those of an ensemble separated by commas. Throws CheckpointError if one
/// cannot be loaded, DataError for a shortlist that does not fit, ConfigError if the tokenizers are
/// not the same or an option asks for what there is not.
LoadedDecoder load_decoder(const std::string& directories, const DecoderOptions& options);

}  // namespace dietmt::nmt
