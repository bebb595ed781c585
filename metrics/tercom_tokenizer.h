// The normalisation of tercom, as sacreBLEU 2.6.0 does it, in front of TER.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::metrics {

struct TercomOptions {
  bool normalized = false;  ///< unescape entities, set punctuation and possessives apart
  bool no_punct = false;    ///< remove punctuation
  bool asian_support =
      false;  ///< with normalized: CJK characters apart; with no_punct: CJK marks go
  bool case_sensitive = false;
};

std::vector<std::string> tokenize_tercom(const TercomOptions& options, std::string_view sentence);

}  // namespace dietmt::metrics
