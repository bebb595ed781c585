// The options stored in Marian's models, special:model.yml.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// Reads Marian's YAML files: a mapping whose values are scalars or lists of scalars.
///
///   dim-vocabs:            "\"quoted\"": 7
///     - 32000              ? '? marks a long key'
///     - 32000              : 8
///
/// Returns the pairs of `text` in order; a list yields all its items, an empty value none. Throws
/// DataError naming `where` and the line of an error.
std::vector<std::pair<std::string, std::vector<std::string>>> parse_yaml_options(
    const std::string& text, const std::string& where);

/// Values by Marian's option names.
using MarianOptions = std::map<std::string, std::vector<std::string>>;

/// Parses the text of special:model.yml, which may end with zeros, from the file `where`. Throws
/// DataError naming the file and the line.
MarianOptions marian_options(std::string text, const std::string& where);

/// Sizes and options, with the vocabulary sizes of the file. Throws ConfigError listing every
/// option that dietmt does not support.
nmt::ModelConfig from_marian(const MarianOptions& options);

/// Like from_marian(), but throws CheckpointError naming the file `where`.
nmt::ModelConfig marian_model_config(const MarianOptions& options, const std::string& where);

}  // namespace dietmt::interchange
