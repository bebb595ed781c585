#include "encoders/comet/comet_config.h"

#include <gmock/gmock.h>

namespace dietmt::encoders {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

CometConfig small() {
  CometConfig config;
  config.encoder.vocabulary = 20;
  config.encoder.width = 8;
  config.encoder.heads = 2;
  config.encoder.layers = 2;
  config.encoder.feed_forward = 16;
  config.hidden_sizes = {4};
  return config;
}

TEST(CometConfig, ProblemsNameFileAndKey) {
  EXPECT_THAT(small().problems("config.json"), IsEmpty());
  const auto expect = [](const char* key, const auto& change) {
    CometConfig config = small();
    change(config);
    EXPECT_THAT(config.problems("config.json"),
                Contains(HasSubstr("config.json: " + std::string(key))));
  };
  expect("kind", [](CometConfig& config) { config.kind = "other"; });
  expect("kind", [](CometConfig& config) { config.reads_reference = false; });
  expect("kind", [](CometConfig& config) { config.kind = "referenceless"; });
  expect("layer", [](CometConfig& config) { config.layer = 3; });
  expect("layer_weights", [](CometConfig& config) { config.layer_weights = "max"; });
  expect("pooling", [](CometConfig& config) { config.pooling = "sum"; });
  expect("hidden_sizes", [](CometConfig& config) { config.hidden_sizes = {}; });
  expect("hidden_sizes", [](CometConfig& config) { config.hidden_sizes = {4, 0}; });
  expect("activation", [](CometConfig& config) { config.activation = "gelu"; });
  expect("width", [](CometConfig& config) { config.encoder.width = 0; });
}

}  // namespace
}  // namespace dietmt::encoders
