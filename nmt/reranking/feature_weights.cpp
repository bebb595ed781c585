#include "nmt/reranking/feature_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "common/json_fields.h"

namespace dietmt::nmt {

FeatureWeights FeatureWeights::read(const std::filesystem::path& file,
                                    std::vector<std::string> names) {
  return read_json_as(file, [&](const nlohmann::json& content) {
    const nlohmann::json& weights = object_field(content, "weights");
    for (const auto& [name, value] : weights.items()) {
      if (std::ranges::find(names, name) == names.end())
        throw CheckpointError(
            fmt::format("a weight of '{}', but the features are {}", name, fmt::join(names, ", ")));
    }
    FeatureWeights read{std::move(names), {}};
    for (const std::string& name : read.names)
      read_field(weights, name.c_str(), read.values.emplace_back());
    return read;
  });
}

std::string FeatureWeights::text() const {
  auto weights = nlohmann::ordered_json::object();
  for (size_t i = 0; i < names.size(); ++i) weights[names[i]] = values[i];
  return nlohmann::ordered_json{{"weights", std::move(weights)}}.dump(2);
}

double weighted_sum(std::span<const double> weights, std::span<const double> features) {
  return std::inner_product(weights.begin(), weights.end(), features.begin(), 0.0);
}

std::vector<size_t> ranking(std::span<const double> weights,
                            std::span<const std::vector<double>> features) {
  std::vector<double> scores;
  for (const std::vector<double>& one : features) scores.push_back(weighted_sum(weights, one));
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  return order;
}

}  // namespace dietmt::nmt
