// Changes of sentence pairs into forms that a corpus lacks, as OpusTrainer makes them (Bogoychev et
// al. 2023).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/random.h"

namespace dietmt::data {

/// The share of pairs that each change is made to; a pair gets at most one.
struct AugmentationRates {
  double upper = 0, title = 0, lower = 0;  // the case of both sides
  double typos = 0;                        // errors in the source
  double noise = 0;                        // both sides become the same random characters

  /// Reads "upper:0.05,typos:0.03". Throws ConfigError naming the part that is wrong.
  static AugmentationRates parse(const std::string& text);
};

/// What one pair gets; an empty function leaves its side as it is.
struct PairChange {
  using TextChange = std::function<std::string(std::string_view)>;
  TextChange source = {}, target = {};
};

/// The change that `random` draws. The functions use it, so it must outlive them.
PairChange drawn_change(const AugmentationRates& rates, Random& random);

}  // namespace dietmt::data
