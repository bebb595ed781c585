// What the config.json of all transformers models have in common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// Throws Error or CheckpointError naming the file if it cannot be read or is not an object.
nlohmann::json read_json_object(const std::filesystem::path& path);

inline constexpr const char* kTransformersConfig = "config.json";
inline constexpr const char* kGenerationConfig = "generation_config.json";
inline constexpr const char* kTokenizerJson = "tokenizer.json";
inline constexpr const char* kTokenizerConfig = "tokenizer_config.json";
inline constexpr const char* kVocabularyJson = "vocab.json";
inline constexpr const char* kMerges = "merges.txt";

/// The description of a model, overridden by its generation_config.json, if there is one.
nlohmann::json with_generation(const std::filesystem::path& directory, nlohmann::json description);

/// The description's model_type. Throws ConfigError unless it is one of `known`. Old files have no
/// model_type; then the class in `architectures` decides, or else which of the types' sizes are
/// present.
std::string require_model_type(const nlohmann::json& description,
                               const std::vector<std::string>& known);

/// The piece that a field of the description names by its number, or a list by its first one.
/// Throws CheckpointError naming the model's config.json and the field.
int32_t piece_number(const std::filesystem::path& directory, const nlohmann::json& description,
                     const char* name, int64_t pieces);

/// The names that BART's descendants have for our settings.
const std::map<std::string, std::string>& bart_settings();

/// Our name of an activation_function. Throws ConfigError.
std::string transformers_activation(const std::string& theirs);

/// The sizes and dropout of BART's descendants. `source`, `target`: the fields with the sizes of
/// vocabularies.
nmt::ModelConfig read_bart_sizes(const nlohmann::json& description,
                                 const char* source = "vocab_size",
                                 const char* target = "vocab_size");

/// Adds a sentence for each size of BART's descendants that differs between encoder and decoder.
void add_differences(const nlohmann::json& description, std::vector<std::string>& problems);

/// Throws CheckpointError with the problems of our configuration, which name `file`, unless all are
/// empty. Settings get the file's names: `names` maps ours to theirs, such as width to hidden_size.
void throw_with_their_names(const std::vector<std::string>& problems,
                            const std::filesystem::path& file,
                            const std::map<std::string, std::string>& names);

}  // namespace dietmt::interchange
