// Names that options have in fairseq, Marian, OpenNMT, Sockeye, CTranslate2 and sacreBLEU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt {

/// "; use --learning-rate" for another program's name of one of the options `ours`, such as lr;
/// empty if the table does not have it. Names are without hyphens at the start.
std::string foreign_option(std::string_view name, const std::vector<std::string>& ours);

}  // namespace dietmt
