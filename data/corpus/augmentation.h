// Training pairs in forms that the corpus lacks, drawn anew for each use, as OpusTrainer does
// (Bogoychev et al. 2023).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/text/text_augmentation.h"
#include "data/text/tokenizer.h"

namespace dietmt::data {

struct DrawnPair {
  std::vector<int32_t> source, target;

  bool operator==(const DrawnPair&) const = default;
};

/// Immutable; safe to share between threads.
class Augmentation {
 public:
  /// `tags`: words before sources that stay as they are. Throws ConfigError if there is noise and a
  /// tokenizer has no bytes, so that it cannot write any character.
  Augmentation(const AugmentationRates& rates, std::shared_ptr<const Tokenizer> source,
               std::shared_ptr<const Tokenizer> target, std::vector<std::string> tags);

  /// The pair as it is used with this key. It stays as it is if a side has an unknown piece, or
  /// would get one.
  DrawnPair changed(DrawnPair pair, uint64_t key) const;

 private:
  const AugmentationRates rates_;
  const std::shared_ptr<const Tokenizer> source_, target_;
  const std::vector<std::string> tags_;
};

}  // namespace dietmt::data
