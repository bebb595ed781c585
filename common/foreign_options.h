// What fairseq, Marian, OpenNMT, Sockeye, CTranslate2 and sacreBLEU call our options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt {

/// "; use --learning-rate" for another program's name of one of the options `ours`, such as lr; ""
/// if the table does not list it. An option for a language gets a sentence. Names have no leading
/// hyphens.
std::string foreign_option(std::string_view name, const std::vector<std::string>& ours);

}  // namespace dietmt
