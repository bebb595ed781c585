// A model directory without its weights: config.json and tokenizer.model (or
// source.tokenizer.model and target.tokenizer.model), next to model.safetensors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/text/sentence_context.h"
#include "data/text/tokenizer.h"
#include "nmt/model/config.h"

namespace dietmt::nmt {

inline constexpr const char* kConfigFile = "config.json";

struct Tokenizers {
  std::shared_ptr<const data::Tokenizer> source;
  std::shared_ptr<const data::Tokenizer> target;  // the same object if both are one
};

/// The tokenizers in a model directory. Throws DataError, which names the file.
Tokenizers load_tokenizers(const std::filesystem::path& directory);

/// The context that a model of `config` reads. Throws CheckpointError if it reads context but a
/// tokenizer lacks the separator.
data::SentenceContext sentence_context(const ModelConfig& config, const data::Tokenizer& source,
                                       const data::Tokenizer& target);

struct ModelFiles {
  std::filesystem::path directory;  // the one that was read
  ModelConfig config;
  std::string quantization;  // "int8", "bf16" or "fp32" if packed for decoding, else empty
  Tokenizers tokenizers;
  // What changes the weights (encoders/weights/low_rank.h), or none.
  std::filesystem::path adapter;
  bool adapter_layers = false;  // it adds layers instead (encoders/weights/adapter_layers.h)

  /// What open_model() opens: the adapter, or the directory.
  const std::filesystem::path& origin() const { return adapter.empty() ? directory : adapter; }
  std::filesystem::path weights() const;
  /// See sentence_context().
  data::SentenceContext context() const;
  /// Throws CheckpointError if the weights are packed: only decoding reads packed weights.
  void require_full_weights() const;
};

/// Whether a value of `--model` is a file NAME.adapter: an adapter for the model in its folder.
bool is_adapter(const std::filesystem::path& path);

/// Reads a model directory, or the best checkpoint of a training output directory; of an adapter
/// the model in its folder, whose weights must not be packed. Throws CheckpointError or DataError,
/// which names the file.
ModelFiles open_model(const std::filesystem::path& path);

/// The configuration of the model that open_model() opens; an empty one if it cannot be read.
ModelConfig config_in(const std::filesystem::path& path);

/// The directories in the values of `option`: each value is one, or several separated by commas;
/// names of fetched models become theirs. A value that exists is not split, so a name may have
/// commas. Throws ConfigError if a name is empty, CheckpointError if a model is not fetched.
std::vector<std::string> model_directories(const std::vector<std::string>& values,
                                           const std::string& option = "--model");

/// Throws ConfigError if the tokenizers differ: such models cannot form an ensemble.
void require_same_tokenizers(const std::filesystem::path& a, const Tokenizers& tokenizers_a,
                             const std::filesystem::path& b, const Tokenizers& tokenizers_b);

/// Throws ConfigError if the models read different context.
void require_same_context(const std::filesystem::path& a, const data::SentenceContext& context_a,
                          const std::filesystem::path& b, const data::SentenceContext& context_b);

/// Throws ConfigError if the models have different languages.
void require_same_languages(const std::filesystem::path& a, const ModelLanguages& languages_a,
                            const std::filesystem::path& b, const ModelLanguages& languages_b);

/// Writes everything but the weights into `directory`, which must exist.
void write_description(const std::filesystem::path& directory, const ModelConfig& config,
                       const data::Tokenizer& source, const data::Tokenizer& target,
                       const std::string& quantization);

}  // namespace dietmt::nmt
