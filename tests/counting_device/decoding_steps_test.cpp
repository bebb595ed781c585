// Decoding steps with every encoding on the counting device: the same results as the CPU in every
// type, and one wait per step, for the copy of the previous one.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <utility>

#include "common/error.h"
#include "tests/common/log_capture.h"
#include "tests/counting_device/fused_kernels.h"
#include "tests/counting_device/step_report.h"
#include "tests/encoders/position/encoding_list.h"
#include "tests/nmt/engine/engine_run.h"

namespace dietmt::nmt {
namespace {

using counting::StepReport;
using encoders::Encoding;

constexpr int64_t kLayers = 2;
// Attention with the new key, two products and a norm; likewise without the key; feed-forward.
constexpr double kLaunchesOfALayer = 11.0;
// Vectors of tokens, the new slots, logits, candidates, and reordering.
constexpr double kOtherLaunches = 10.0;

ModelConfig config_with(const std::string& encoder, const std::string& decoder) {
  ModelConfig config = engine_config();
  config.width = 32;  // heads of 8, the kernels' minimum
  config.encoder_layers = config.decoder_layers = kLayers;
  config.encoder_position = encoder;
  config.decoder_position = decoder;
  return config;
}

// The same parameters on the CPU and on the counting device.
struct Pair {
  explicit Pair(const ModelConfig& config)
      : on_cpu(lively_model(config, 41)), on_device(lively_model(config, 41)) {
    counting::move_to_device(*on_device);
  }

  std::shared_ptr<TranslationModel> on_cpu, on_device;
};

std::unique_ptr<SentenceDecoder> device_decoder(const Pair& pair,
                                                std::optional<at::ScalarType> type = {}) {
  return std::make_unique<TensorDecoder>(std::vector<const TranslationModel*>{pair.on_device.get()},
                                         SpecialTokens{}, type);
}

SearchOptions search_of_length(int64_t length) {
  SearchOptions options = short_search(3, 1);
  options.max_length_factor = 0.0;
  options.max_length_offset = length;
  options.min_length = length - 1;
  return options;
}

// A step, once the decoder has recorded those of its batches.
StepReport report_of_decoding(const SentenceDecoder& decoder,
                              const std::vector<TranslationRequest>& requests) {
  const auto decode_steps = [&](int64_t length) {
    decode(decoder, requests, search_of_length(length));
  };
  constexpr int64_t kFew = 8, kMany = 24;
  for (int i = 0; i < 2; ++i) decode_steps(kMany);
  return counting::report_of_step(kFew, kMany, decode_steps);
}

class DecodingSteps : public testing::TestWithParam<Encoding> {
 protected:
  static ModelConfig config() {
    return config_with(GetParam().encoder ? GetParam().spec : "none",
                       GetParam().decoder ? GetParam().spec : "none");
  }
};

TEST_P(DecodingSteps, FindWhatTheEngineFindsAndWaitForOneCopy) {
  const Pair pair(config());
  const auto decoder = device_decoder(pair);
  const auto requests = random_requests(6, 20, 42);
  expect_equal(decode(*decoder, requests, short_search(3, 2)),
               decode(*engine_of({pair.on_cpu}), requests, short_search(3, 2)));
  const StepReport report = report_of_decoding(*decoder, requests);
  counting::print_if_wanted("decoding " + GetParam().spec, report);
  EXPECT_LE(report.waits, 1.0) << counting::text_of_waits(report);
}

std::vector<Encoding> translation_encodings() {
  std::vector<Encoding> found;
  for (const Encoding& encoding : encoders::kEncodings)
    if (encoding.spec.find("segments") == std::string::npos) found.push_back(encoding);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Encodings, DecodingSteps, testing::ValuesIn(translation_encodings()));

TEST(DecodingStep, LaunchesFewKernels) {
  for (const char* position : {"sinusoidal", "diet-rel", "shaw(clip=3)", "t5", "alibi"}) {
    const Pair pair(config_with(position, position));
    const auto decoder = device_decoder(pair, at::kBFloat16);
    const auto requests = random_requests(6, 20, 43);
    const StepReport report = report_of_decoding(*decoder, requests);
    counting::print_if_wanted(std::string("decoding in bf16 ") + position, report);
    EXPECT_EQ(report.launches, 1.0) << position;
    EXPECT_LE(report.in_graphs, kLayers * kLaunchesOfALayer + kOtherLaunches) << position;
  }
}

// Batches of many sizes, each padded with idle sentences, while the cache and the tables grow.
TEST(DecodingStep, SentencesComeAndGoInRecordedSteps) {
  for (const char* position : {"sinusoidal", "diet-rel", "rope", "shaw(clip=3)"}) {
    ModelConfig config = config_with(position, position);
    for (const char* layer : {"self-attention", "ssru"}) {
      config.decoder_layer = layer;
      if (config.decoder_layer == "ssru") config.decoder_position = "sinusoidal";
      const Pair pair(config);
      auto requests = random_requests(50, 20, 46);
      const auto longer = random_requests(30, 100, 47);
      requests.insert(requests.end(), longer.begin(), longer.end());
      const auto wanted = decode(*engine_of({pair.on_cpu}), requests, short_search(3, 2));
      // Few sentences, whose tables grow, and many, whose keys and values need more room.
      for (const int64_t batch_tokens : {3, 24}) {
        SearchOptions options = short_search(3, 2);
        options.batch_tokens = batch_tokens;
        counting::reset_counts();
        expect_equal(decode(*device_decoder(pair), requests, options), wanted);
        // An error in a step would make it decode its sentences again, kernel by kernel.
        EXPECT_GT(counting::counts().in_graphs, 2 * counting::counts().launches) << position;
      }
    }
  }
}

// A kernel that fails once.
void broken_beam_step(const kernels::DeviceBeamStep& call) {
  static bool was_called = false;
  if (!std::exchange(was_called, true)) throw Error("the device has fallen over");
  counting::fused_kernels().beam_step(call);
}

TEST(DecodingStep, AfterAFailureSentencesAreDecodedOneByOne) {
  const Pair pair(config_with("sinusoidal", "sinusoidal"));
  const auto requests = random_requests(8, 20, 48);
  const auto wanted = decode(*engine_of({pair.on_cpu}), requests, short_search(3, 2));
  kernels::DeviceKernels broken = counting::fused_kernels();
  broken.beam_step = broken_beam_step;
  const counting::OtherKernels other(broken);
  const LogCapture log;
  expect_equal(decode(*device_decoder(pair), requests, short_search(3, 2)), wanted);
  EXPECT_THAT(log.text(), testing::HasSubstr("one by one: the device has fallen over"));
}

TEST(DecodingStep, ScoresOfNarrowTypesAreClose) {
  const Pair pair(config_with("rope", "diet-rel"));
  const auto requests = random_requests(12, 20, 44);
  const auto wanted = decode(*engine_of({pair.on_cpu}), requests, short_search(4, 1));
  for (const auto& [type, tolerance] : {std::pair(at::kBFloat16, 0.15), {at::kHalf, 0.02}}) {
    const auto found = decode(*device_decoder(pair, type), requests, short_search(4, 1));
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i][0].score, wanted[i][0].score, tolerance) << i;
  }
}

// Beams too wide for the kernel, prefixes, and searches in which the host takes part.
TEST(DecodingStep, EverySearchFindsWhatTheEngineFinds) {
  const Pair pair(config_with("sinusoidal", "t5"));
  auto requests = random_requests(6, 12, 45);
  requests[2].prefix = {9, 1, 20};
  SearchOptions wide = short_search(10, 2), diverse = short_search(4, 2),
                repeats = short_search(3, 1), penalty = short_search(3, 2),
                aligned = short_search(3, 2), covering = short_search(4, 2),
                samples = short_search(1, 2);
  diverse.diverse_groups = 2;
  repeats.no_repeat_ngram = 2;
  repeats.min_length = 4;
  penalty.repetition_penalty = 1.5;
  penalty.patience = 2.0;
  aligned.alignment = true;
  covering.coverage_penalty = 0.2;
  samples.sample = true;
  samples.top_k = 5;
  const auto device = device_decoder(pair), engine = engine_of({pair.on_cpu});
  for (const SearchOptions& options : {wide, diverse, repeats, penalty, aligned, covering, samples})
    expect_equal(decode(*device, requests, options), decode(*engine, requests, options));
  requests[0].constraints.terms = {Constraint{std::vector<int32_t>{30}},
                                   Constraint{std::vector<int32_t>{31, 32}}};
  requests[2].constraints.terms = {Constraint{std::vector<int32_t>{33}}};
  for (const SearchOptions& options : {wide, repeats, penalty})
    expect_equal(decode(*device, requests, options), decode(*engine, requests, options));
}

// For tokens, rows, forbidden places and the best tokens and their scores; with limits on
// repetition for the tokens that the search asks for, there and back.
TEST(DecodingStep, ASearchOnTheHostWaitsForFewCopies) {
  const Pair pair(config_with("sinusoidal", "sinusoidal"));
  const auto decoder = device_decoder(pair);
  const auto requests = random_requests(6, 20, 43);
  const auto report_of_search = [&](const SearchOptions& search) {
    const StepReport report = counting::report_of_step(8, 24, [&](int64_t length) {
      SearchOptions options = search;
      options.max_length_offset = length;
      options.min_length = length - 1;
      decode(*decoder, requests, options);
    });
    counting::print_if_wanted("searching on the host", report);
    return report;
  };
  SearchOptions diverse = search_of_length(0), limited = search_of_length(0);
  diverse.beam = 4;
  diverse.diverse_groups = 2;
  EXPECT_LE(report_of_search(diverse).waits, 5.0);
  limited.no_repeat_ngram = 30;
  EXPECT_LE(report_of_search(limited).waits, 7.0);
}

}  // namespace
}  // namespace dietmt::nmt
