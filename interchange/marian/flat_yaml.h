// The part of YAML that Marian writes: a mapping of scalars and of lists of scalars, one a line.
//
//   dim-vocabs:            "\"quoted\"": 7
//     - 32000              ? '? marks a long key'
//     - 32000              : 8
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dietmt::interchange {

/// The pairs of `text` in their order; the value of a list is its items. Throws DataError naming
/// `where` and the line that is nothing of this.
std::vector<std::pair<std::string, std::vector<std::string>>> parse_flat_yaml(
    const std::string& text, const std::string& where);

}  // namespace dietmt::interchange
