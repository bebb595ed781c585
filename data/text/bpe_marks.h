// Text that subword-nmt has cut into pieces: "new@@ er" is one word.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::data {

bool has_bpe_marks(std::string_view text);

/// The text in whole words, as `sed 's/\(@@ \)\|\(@@ \?$\)//g'` makes it.
std::string without_bpe_marks(std::string_view text);

}  // namespace dietmt::data
