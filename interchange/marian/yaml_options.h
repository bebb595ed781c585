// The YAML files of Marian: a mapping whose values are scalars or lists of scalars.
//
//   dim-vocabs:            "\"quoted\"": 7
//     - 32000              ? '? marks a long key'
//     - 32000              : 8
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dietmt::interchange {

/// The pairs of `text` in their order; a list gives all its items, an empty value none. Throws
/// DataError naming `where` and the line of an error.
std::vector<std::pair<std::string, std::vector<std::string>>> parse_yaml_options(
    const std::string& text, const std::string& where);

}  // namespace dietmt::interchange
