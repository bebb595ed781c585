#include "nmt/model/model_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "storage/checkpoint.h"
#include "storage/fetched_models.h"
#include "storage/safetensors_file.h"

namespace dietmt::nmt {
namespace fs = std::filesystem;
namespace {

constexpr int kFormat = 1;
constexpr const char* kJointTokenizer = "tokenizer.model";
constexpr const char* kSourceTokenizer = "source.tokenizer.model";
constexpr const char* kTargetTokenizer = "target.tokenizer.model";

void read_config(const fs::path& path, ModelFiles& files) {
  const nlohmann::json json = read_json(path);
  std::vector<std::string> problems;
  try {
    if (json.contains("architecture")) {
      throw CheckpointError("describes a model of kind " + json.at("architecture").dump() +
                            ", not a translation model");
    }
    int64_t format = 0;
    read_field(json, "format", format);
    if (format != kFormat) {
      throw CheckpointError("unknown format " + std::to_string(format) +
                            "; this version reads format " + std::to_string(kFormat));
    }
    if (!json.contains("model")) throw CheckpointError("model is missing");
    files.config = ModelConfig::from_json(json.at("model"));
    files.quantization = field_or<std::string>(json, "quantization", "");
  } catch (const CheckpointError& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
  require_intact(path);
  throw_if_any<CheckpointError>(files.config.problems(path.string()));
}

// The configuration of an adapter's model does not know the layers that the adapter adds.
void read_adapter_size(ModelFiles& files) {
  const auto view = storage::open_safetensors(files.adapter);
  for (const auto& [name, tensor] : view.tensors) {
    if (!name.ends_with(".adapter.down_weight") || tensor.shape.empty()) continue;
    if (files.config.adapter_size > 0) {
      throw CheckpointError(files.adapter.string() +
                            ": the model in its directory already has adapters; move it to the "
                            "directory of the model that --init-from named");
    }
    files.config.adapter_size = tensor.shape.front();
    files.adapter_layers = true;
    throw_if_any<CheckpointError>(files.config.problems(files.adapter.string()));
    return;
  }
}

fs::path model_directory_of(const fs::path& path) {
  return storage::resolve_model_directory(is_adapter(path) ? fs::absolute(path).parent_path()
                                                           : path);
}

std::shared_ptr<const data::Tokenizer> load_tokenizer(const fs::path& file) {
  require_intact(file);
  return std::make_shared<data::Tokenizer>(file);
}

}  // namespace

Tokenizers load_tokenizers(const fs::path& directory) {
  if (fs::exists(directory / kJointTokenizer)) {
    const auto joint = load_tokenizer(directory / kJointTokenizer);
    return {joint, joint};
  }
  if (!fs::exists(directory / kSourceTokenizer))
    throw CheckpointError(directory.string() + ": has no " + kJointTokenizer + " (nor " +
                          kSourceTokenizer + " and " + kTargetTokenizer + ")");
  return {load_tokenizer(directory / kSourceTokenizer),
          load_tokenizer(directory / kTargetTokenizer)};
}

data::SentenceContext sentence_context(const ModelConfig& config, const data::Tokenizer& source,
                                       const data::Tokenizer& target) {
  if (config.context == 0) return {};
  if (source.source_ending() != std::vector{source.end_id()})
    throw CheckpointError(source.file() +
                          ": the model's sources do not end with end of sentence, so it cannot "
                          "read them with their context");
  const auto separator = [](const data::Tokenizer& tokenizer) {
    if (tokenizer.separator_id() >= 0) return tokenizer.separator_id();
    throw CheckpointError(tokenizer.file() +
                          ": the model reads sentences with their context, but "
                          "the tokenizer lacks the piece " +
                          std::string(data::kSeparatorPiece) + " that separates them");
  };
  return {config.context, separator(source),
          config.context_sides == "both" ? separator(target) : -1, config.context_tokens};
}

fs::path ModelFiles::weights() const { return directory / storage::kSafetensorsFile; }

data::SentenceContext ModelFiles::context() const {
  return sentence_context(config, *tokenizers.source, *tokenizers.target);
}

void ModelFiles::require_full_weights() const {
  if (quantization.empty()) return;
  throw CheckpointError(directory.string() + ": packed " + quantization +
                        " weights only decode, on the CPU; use the model that they were made from "
                        "(a model that was imported in int8 has none)");
}

bool is_adapter(const fs::path& path) {
  return path.extension() == ".adapter" && !fs::is_directory(path);
}

ModelFiles open_model(const fs::path& path) {
  ModelFiles files;
  if (is_adapter(path)) files.adapter = path;
  files.directory = model_directory_of(path);
  read_config(files.directory / kConfigFile, files);
  if (!files.adapter.empty() && !files.quantization.empty()) {
    throw CheckpointError(path.string() + ": packed " + files.quantization +
                          " weights take no adapter; move it to the directory of the model that "
                          "they were made from");
  }
  if (!files.adapter.empty()) read_adapter_size(files);
  files.tokenizers = load_tokenizers(files.directory);
  if (files.tokenizers.source->vocabulary_size() != files.config.source_vocabulary ||
      files.tokenizers.target->vocabulary_size() != files.config.target_vocabulary) {
    throw CheckpointError(files.directory.string() +
                          ": the vocabulary size of the tokenizer differs from the one in " +
                          kConfigFile);
  }
  return files;
}

ModelConfig config_in(const fs::path& path) {
  try {
    const fs::path file = model_directory_of(path) / kConfigFile;
    if (!fs::is_regular_file(file)) return {};  // a pipe would wait
    const nlohmann::json json = read_json(file);
    return json.contains("model") ? ModelConfig::from_json(json.at("model")) : ModelConfig();
  } catch (const Error&) {
    return {};
  }
}

std::vector<std::string> model_directories(const std::vector<std::string>& values,
                                           const std::string& option) {
  std::vector<std::string> all;
  for (const std::string& value : values) {
    if (value.empty()) throw ConfigError(option + " is empty; it must name a directory");
    std::error_code none;
    const bool whole = fs::exists(value, none);
    for (size_t start = 0; start <= value.size();) {
      const size_t comma = whole ? value.size() : std::min(value.find(',', start), value.size());
      const std::string name = value.substr(start, comma - start);
      if (name.empty())
        throw ConfigError(option + " " + value + ": empty directory name next to a comma");
      all.push_back(storage::located_model(name));
      start = comma + 1;
    }
  }
  return all;
}

void require_same_tokenizers(const std::filesystem::path& a, const Tokenizers& tokenizers_a,
                             const std::filesystem::path& b, const Tokenizers& tokenizers_b) {
  if (tokenizers_a.source->serialized() != tokenizers_b.source->serialized() ||
      tokenizers_a.target->serialized() != tokenizers_b.target->serialized()) {
    throw ConfigError(a.string() + " and " + b.string() + " have different tokenizers");
  }
}

void require_same_context(const fs::path& a, const data::SentenceContext& context_a,
                          const fs::path& b, const data::SentenceContext& context_b) {
  if (context_a == context_b) return;
  throw ConfigError(a.string() + " and " + b.string() +
                    " read different context (context, context_sides and context_tokens in " +
                    kConfigFile + ")");
}

void require_same_languages(const fs::path& a, const ModelLanguages& languages_a, const fs::path& b,
                            const ModelLanguages& languages_b) {
  if (languages_a != languages_b)
    throw ConfigError(a.string() + " and " + b.string() +
                      " have different languages (languages in " + kConfigFile + ")");
}

void write_description(const fs::path& directory, const ModelConfig& config,
                       const data::Tokenizer& source, const data::Tokenizer& target,
                       const std::string& quantization) {
  nlohmann::json json = {{"format", kFormat}, {"model", config.to_json()}};
  if (!quantization.empty()) json["quantization"] = quantization;
  write_file_atomically(directory / kConfigFile, json.dump(1) + "\n");
  if (&source == &target) {
    write_file_atomically(directory / kJointTokenizer, source.serialized());
  } else {
    write_file_atomically(directory / kSourceTokenizer, source.serialized());
    write_file_atomically(directory / kTargetTokenizer, target.serialized());
  }
}

}  // namespace dietmt::nmt
