// A translation's score as a weighted sum of features (Och and Ney 2002).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dietmt::nmt {

struct FeatureWeights {
  std::vector<std::string> names;
  std::vector<double> values;  // of the names

  /// From a file of text(). Throws Error or CheckpointError, which name the file, if it cannot be
  /// read, has a feature that is not among `names`, or lacks one of them.
  static FeatureWeights read(const std::filesystem::path& file, std::vector<std::string> names);

  /// {"weights": {NAME: WEIGHT, ...}}
  std::string text() const;
};

/// sum_i weights[i] * features[i]
double weighted_sum(std::span<const double> weights, std::span<const double> features);

/// The translations of a sentence by their weighted sum, largest first; equal ones in their order.
/// features: of each translation.
std::vector<size_t> ranking(std::span<const double> weights,
                            std::span<const std::vector<double>> features);

}  // namespace dietmt::nmt
