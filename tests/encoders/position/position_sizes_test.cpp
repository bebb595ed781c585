// Parameter counts compared with built encodings: every encoding with all combinations of its
// options' words and two of their numbers, in every kind of attention.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/scheme/position_scheme.h"
#include "tests/encoders/counted_parameters.h"
#include "tests/encoders/position/encoding_list.h"

namespace dietmt::encoders {
namespace {

constexpr AttentionSite kSites[] = {AttentionSite::kEncoder, AttentionSite::kDecoder,
                                    AttentionSite::kCross};

std::vector<std::string> some_values(const EncodingOption& option) {
  constexpr int64_t kOther = 10;
  std::vector<std::string> values = option.words;
  if (option.minimum)
    for (const int64_t number : {*option.minimum, kOther}) values.push_back(std::to_string(number));
  return values;
}

/// "name(option=value,...)" for all combinations.
std::vector<std::string> all_specs(const EncodingRow& row) {
  std::vector<std::string> lists = {""};
  for (const EncodingOption& option : row.options) {
    std::vector<std::string> longer;
    for (const std::string& list : lists)
      for (const std::string& value : some_values(option))
        longer.push_back(list + (list.empty() ? "" : ",") + option.name + "=" + value);
    lists = longer;
  }
  std::vector<std::string> specs;
  for (const std::string& list : lists)
    specs.push_back(list.empty() ? row.name : row.name + "(" + list + ")");
  return specs;
}

/// Returns false if the spec is not for this kind of attention.
bool is_counted_right(const std::string& spec, AttentionSite site) {
  SCOPED_TRACE(spec);
  ParameterCounts counts;
  try {
    counts = position_parameters(spec, context(site));
  } catch (const ConfigError&) {
    EXPECT_THROW(PositionScheme(spec, context(site)), ConfigError);
    return false;
  }
  expect_parameters(counts, PositionScheme(spec, context(site)));
  return true;
}

TEST(PositionSizes, AreThoseOfBuiltEncodings) {
  for (const EncodingRow& row : encoding_table()) {
    int built = 0;
    for (const std::string& spec : all_specs(row))
      for (const AttentionSite site : kSites) built += is_counted_right(spec, site) ? 1 : 0;
    EXPECT_GT(built, 0) << row.name;
  }
}

TEST(PositionSizes, AreThoseOfMixesOfHeads) {
  for (const Encoding& encoding : encodings_with_summary()) {
    EXPECT_EQ(is_counted_right(encoding.spec, AttentionSite::kEncoder), encoding.encoder);
    EXPECT_EQ(is_counted_right(encoding.spec, AttentionSite::kDecoder), encoding.decoder);
  }
}

TEST(PositionSizes, DoNotOverflow) {
  EncodingContext largest = context(AttentionSite::kEncoder);
  largest.layers = largest.heads = 1024;
  largest.max_positions = 1 << 20;
  const ParameterCounts counts = position_parameters("diet-abs(rank=1048576)", largest);
  EXPECT_EQ(total(counts), 2.0 * 0x1p10 * 0x1p10 * 0x1p20 * 0x1p20);
}

}  // namespace
}  // namespace dietmt::encoders
