#include "reporting/sentence_analysis.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dietmt::reporting {
namespace {

using nlohmann::json;

json nested(const HeadMatrices& all) {
  json layers = json::array();
  const float* next = all.values.data();
  for (int64_t layer = 0; layer < all.layers; ++layer) {
    json& heads = layers.emplace_back(json::array());
    for (int64_t head = 0; head < all.heads; ++head) {
      json& rows = heads.emplace_back(json::array());
      for (int64_t row = 0; row < all.rows; ++row) {
        json& values = rows.emplace_back(json::array());
        for (int64_t column = 0; column < all.columns; ++column)
          values.push_back(std::round(double{*next++} * 1e4) / 1e4);
      }
    }
  }
  return layers;
}

}  // namespace

std::string to_json(const SentenceAnalysis& analysis) {
  const json answer = {{"model", analysis.model},
                       {"source_tokens", analysis.source_tokens},
                       {"target_tokens", analysis.target_tokens},
                       {"attention",
                        {{"encoder", nested(analysis.encoder_attention)},
                         {"decoder", nested(analysis.decoder_attention)},
                         {"cross", nested(analysis.cross_attention)}}},
                       {"position",
                        {{"encoder", nested(analysis.encoder_positions)},
                         {"decoder", nested(analysis.decoder_positions)}}}};
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace dietmt::reporting
