#include "nmt/search/search_options.h"

#include <cmath>

#include "common/error.h"

namespace dietmt::nmt {

LengthNorm parse_length_norm(const std::string& name) {
  if (name == "power") return LengthNorm::kPower;
  if (name == "gnmt") return LengthNorm::kGnmt;
  throw ConfigError("unknown length normalization '" + name + "'; possible: power, gnmt");
}

std::vector<std::string> SearchOptions::problems() const {
  std::vector<std::string> found;
  const auto require = [&](bool holds, const std::string& sentence) {
    if (!holds) found.push_back(sentence);
  };
  require(beam >= 1, "--beam must be at least 1");
  require(nbest >= 1, "--nbest must be at least 1");
  require(sample || nbest <= beam, "--nbest must not be larger than --beam");
  require(length_penalty >= 0.0, "--length-penalty must not be negative");
  require(max_length_factor >= 0.0, "--max-length-factor must not be negative");
  require(max_length_offset >= 1, "--max-length-offset must be at least 1");
  require(min_length >= 0, "--min-length must not be negative");
  require(max_source_length >= 1, "--max-source-length must be at least 1");
  require(top_k >= 0, "--top-k must not be negative");
  require(top_p > 0.0 && top_p <= 1.0, "--top-p must be above 0 and at most 1");
  require(temperature >= kMinTemperature && temperature <= kMaxTemperature,
          "--temperature must be from 0.001 to 1000");
  require(sample || (top_k == 0 && top_p == 1.0 && temperature == 1.0),
          "--top-k, --top-p and --temperature need --sample");
  require(batch_tokens >= 1, "--batch-tokens must be at least 1");
  require(workers >= 0, "--workers must not be negative");
  require(threads >= 1, "--threads must be at least 1");
  return found;
}

double SearchOptions::normalized(double sum, int64_t length) const {
  const auto tokens = static_cast<double>(length);
  const double base = length_norm == LengthNorm::kGnmt ? (5.0 + tokens) / 6.0 : tokens;
  return sum / std::pow(base, length_penalty);
}

int64_t SearchOptions::max_target_length(int64_t source_length) const {
  return static_cast<int64_t>(max_length_factor * static_cast<double>(source_length)) +
         max_length_offset;
}

}  // namespace dietmt::nmt
