// The options of Marian that its models hold, special:model.yml.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// Reads the YAML files of Marian: a mapping whose values are scalars or lists of scalars.
///
///   dim-vocabs:            "\"quoted\"": 7
///     - 32000              ? '? marks a long key'
///     - 32000              : 8
///
/// The pairs of `text` in their order; a list gives all its items, an empty value none. Throws
/// DataError naming `where` and the line of an error.
std::vector<std::pair<std::string, std::vector<std::string>>> parse_yaml_options(
    const std::string& text, const std::string& where);

/// Values by the names of Marian's options.
using MarianOptions = std::map<std::string, std::vector<std::string>>;

/// The options in the text of special:model.yml, which may end with zeros, of the file `where`.
/// Throws DataError naming the file and the line.
MarianOptions marian_options(std::string text, const std::string& where);

/// Sizes and choices, with the vocabularies of the file. Throws ConfigError with every choice that
/// this program does not have.
nmt::ModelConfig from_marian(const MarianOptions& options);

/// The same with CheckpointError, which names the file `where`.
nmt::ModelConfig marian_model_config(const MarianOptions& options, const std::string& where);

}  // namespace dietmt::interchange
