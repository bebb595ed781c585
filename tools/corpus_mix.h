// The shares of several corpora in training: options of `dietmt train` and `bert pretrain`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/options.h"

namespace dietmt::tools {

struct CorpusMix {
  std::vector<double> corpus_weights;
  std::optional<double> sampling_temperature;

  bool is_given() const { return !corpus_weights.empty() || sampling_temperature; }
  /// One sentence each.
  std::vector<std::string> mix_problems(int64_t corpora) const;
  /// Relative shares of corpora of these sizes; none: every item once per epoch.
  std::vector<double> weights(std::span<const int64_t> sizes) const;
};

/// Adds them to the current group. `corpus` and `item` name what has a weight and what is drawn.
void bind_corpus_mix(OptionTable& table, CorpusMix& o, const std::string& corpus,
                     const std::string& item);

}  // namespace dietmt::tools
