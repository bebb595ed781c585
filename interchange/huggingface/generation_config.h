// generation_config.json of transformers: how a model wants to be searched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json_fwd.hpp>

#include "data/text/tokenizer.h"
#include "nmt/model/config.h"

namespace dietmt::interchange {

/// Sets what generation_config.json says, or, without that file, the model's `description`, as old
/// models do: `config.search`, only options that differ from the usual ones, and
/// `config.suppressed`, without what `target` never generates. transformers counts the token that
/// the decoder starts from as part of max_length and min_length. Scores are divided by
/// length^length_penalty in both. Warns in one line of settings that our search lacks, such as
/// other forced tokens than languages (`config.languages`) and end of sentence. A max_length that
/// the table of `positions` does not reach is no wish. Throws CheckpointError naming the file and
/// the key.
void read_generation_config(const std::filesystem::path& directory,
                            const nlohmann::json& description, const data::Tokenizer& target,
                            nmt::ModelConfig& config,
                            int64_t positions = std::numeric_limits<int64_t>::max());

/// The other way: the keys of a model that wants these options. `longest`: maximum length of its
/// translations in tokens, with the one that the decoder starts from.
nlohmann::json generation_settings(const nmt::SearchDefaults& search, int64_t longest);

}  // namespace dietmt::interchange
