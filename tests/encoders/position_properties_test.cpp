// What holds for every encoding, backend and size.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <map>
#include <string>

#include "common/error.h"
#include "encoders/attention/attention.h"
#include "encoders/position/position_encoding.h"

namespace dietmt::encoders {
namespace {

constexpr int64_t kLayers = 2;
constexpr int64_t kHeads = 4;
constexpr int64_t kHeadWidth = 4;
constexpr int64_t kWidth = kHeads * kHeadWidth;
constexpr int64_t kMaxPositions = 128;

EncodingContext context(AttentionSite site) {
  return {.site = site,
          .layers = kLayers,
          .heads = kHeads,
          .head_width = kHeadWidth,
          .model_width = kWidth,
          .max_positions = kMaxPositions};
}

/// A spec and the number of its parameters for the sizes above.
struct Encoding {
  std::string spec;
  int64_t parameters;
};

void PrintTo(const Encoding& encoding, std::ostream* out) { *out << encoding.spec; }

const std::vector<Encoding> kEncodings = {
    {"none", 0},
    {"sinusoidal", 0},
    {"sinusoidal(layout=halves)", 0},
    {"learned", kMaxPositions* kWidth},
    {"learnable-sinusoidal", kWidth / 2},
    {"diet-rel", kLayers* kHeads*(2 * kMaxPositions - 1)},
    {"diet-rel(share=layers)", kHeads*(2 * kMaxPositions - 1)},
    {"diet-rel(share=heads)", kLayers*(2 * kMaxPositions - 1)},
    {"diet-rel(clip=3,share=all)", 2 * 3 + 1},
    {"shaw(clip=2)", kLayers * 2 * (2 * 2 + 1) * kHeadWidth},
    {"shaw(clip=16,values=false,share=none)", kLayers* kHeads*(2 * 16 + 1) * kHeadWidth},
    {"shaw(clip=5,tied=true,share=layers)", kHeads*(2 * 5 + 1) * kHeadWidth},
    {"t5", kHeads * 32},
    {"t5(buckets=8,distance=20,scaled=false,share=none)", kLayers* kHeads * 8},
    {"learned+diet-rel", kMaxPositions* kWidth + kLayers* kHeads*(2 * kMaxPositions - 1)},
    {"heads[diet-rel(clip=6):0-1,shaw(clip=2):2,none:3]",
     kLayers * 2 * (2 * 6 + 1) + kLayers * 2 * (2 * 2 + 1) * kHeadWidth},
    {"heads[shaw(clip=1,share=none):1,3,t5(scaled=false):0,2]",
     kLayers * 2 * 2 * (2 * 1 + 1) * kHeadWidth + 2 * 32},
};

/// A scheme in double with parameters large enough to matter, the same ones for the same spec.
std::shared_ptr<PositionScheme> make_scheme(const std::string& spec, AttentionSite site) {
  torch::manual_seed(7);
  auto scheme = std::make_shared<PositionScheme>(spec, context(site));
  scheme->to(at::kDouble);
  const torch::NoGradGuard no_grad;
  for (at::Tensor& parameter : scheme->parameters()) parameter.normal_(0.0, 0.7);
  return scheme;
}

struct Inputs {
  at::Tensor q, k, v;  // [N, H, Dh], [M, H, Dh], [M, H, Dh]
  std::vector<at::Tensor> all() const { return {q, k, v}; }
};

Inputs make_inputs(int64_t queries, int64_t keys) {
  torch::manual_seed(11);
  const auto random = [](int64_t rows) {
    return at::randn({rows, kHeads, kHeadWidth}, at::kDouble).requires_grad_(true);
  };
  return {random(queries), random(keys), random(keys)};
}

struct Setting {
  Backend backend = Backend::kReference;
  bool causal = false;
  double dropout = 0.0;
  uint64_t dropout_key = 5;
};

/// Embeds positions into queries and keys and attends: [N, H, Dh].
at::Tensor attend_with(const PositionScheme& scheme, const Inputs& inputs, const Packing& queries,
                       const Packing& keys, const Setting& setting) {
  const auto embed = [&](const at::Tensor& x, const Packing& packing) {
    return scheme.embed(x.flatten(1), packing.positions()).view_as(x);
  };
  const ScoreTerms terms = scheme.terms(1, {0, queries.max_length(), keys.max_length()});
  return attend({.queries = embed(inputs.q, queries),
                 .keys = embed(inputs.k, keys),
                 .values = inputs.v,
                 .query_packing = queries,
                 .key_packing = keys,
                 .terms = terms,
                 .causal = setting.causal,
                 .dropout = setting.dropout,
                 .dropout_key = setting.dropout_key},
                setting.backend);
}

/// A scalar whose gradient differs from element to element.
at::Tensor loss(const at::Tensor& output) {
  const at::Tensor weights = at::arange(output.numel(), at::kDouble).sin().view_as(output);
  return (output * weights).sum();
}

double largest_gap(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

/// Output and the gradients of inputs and parameters.
std::vector<at::Tensor> output_and_gradients(const PositionScheme& scheme, const Inputs& inputs,
                                             const Packing& queries, const Packing& keys,
                                             const Setting& setting) {
  const at::Tensor output = attend_with(scheme, inputs, queries, keys, setting);
  std::vector<at::Tensor> variables = inputs.all();
  for (const at::Tensor& parameter : scheme.parameters()) variables.push_back(parameter);
  std::vector<at::Tensor> results = torch::autograd::grad({loss(output)}, variables);
  results.push_back(output);
  return results;
}

class EveryEncoding : public testing::TestWithParam<Encoding> {
 protected:
  std::shared_ptr<PositionScheme> scheme(bool causal = false) const {
    return make_scheme(GetParam().spec, causal ? AttentionSite::kDecoder : AttentionSite::kEncoder);
  }
};

TEST_P(EveryEncoding, HasTheParametersOfItsFormula) {
  const PositionScheme built(GetParam().spec, context(AttentionSite::kEncoder));
  int64_t count = 0;
  for (const at::Tensor& parameter : built.parameters()) count += parameter.numel();
  EXPECT_EQ(count, GetParam().parameters);
  EXPECT_TRUE(built.buffers().empty());
}

TEST_P(EveryEncoding, SdpaEqualsReference) {
  const std::vector<std::vector<int64_t>> batches = {{1}, {7}, {97}, {7, 1, 97, 30}, {5, 5, 5}};
  for (const auto& lengths : batches) {
    const Packing packing(lengths);
    const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
    for (const bool causal : {false, true}) {
      for (const double dropout : {0.0, 0.3}) {
        Setting setting{.backend = Backend::kReference, .causal = causal, .dropout = dropout};
        const auto wanted =
            output_and_gradients(*scheme(causal), inputs, packing, packing, setting);
        setting.backend = Backend::kSdpa;
        const auto actual =
            output_and_gradients(*scheme(causal), inputs, packing, packing, setting);
        for (size_t i = 0; i < wanted.size(); ++i)
          EXPECT_LE(largest_gap(actual[i], wanted[i]), 1e-11)
              << "tensor " << i << ", " << lengths.size() << " sentences, the first of "
              << lengths[0] << " tokens, causal " << causal << ", dropout " << dropout;
      }
    }
  }
}

TEST_P(EveryEncoding, ABatchEqualsItsSentences) {
  const Packing packing({3, 9, 1, 6});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  for (const Backend backend : {Backend::kReference, Backend::kSdpa}) {
    const Setting setting{.backend = backend, .causal = true};
    const at::Tensor batch = attend_with(*scheme(true), inputs, packing, packing, setting);
    for (size_t b = 0; b < packing.lengths().size(); ++b) {
      const auto rows = torch::indexing::Slice(packing.offsets()[b], packing.offsets()[b + 1]);
      const Inputs own{inputs.q.index({rows}), inputs.k.index({rows}), inputs.v.index({rows})};
      const Packing alone({packing.lengths()[b]});
      EXPECT_LE(
          largest_gap(attend_with(*scheme(true), own, alone, alone, setting), batch.index({rows})),
          1e-13);
    }
  }
}

TEST_P(EveryEncoding, GradientsAreThoseOfFiniteDifferences) {
  const Packing packing({4, 2});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  const auto built = scheme();
  std::vector<at::Tensor> variables = inputs.all();
  for (const at::Tensor& parameter : built->parameters()) variables.push_back(parameter);
  for (const Backend backend : {Backend::kReference, Backend::kSdpa}) {
    const Setting setting{.backend = backend, .dropout = 0.2};
    const auto gradients = output_and_gradients(*built, inputs, packing, packing, setting);
    for (size_t i = 0; i < variables.size(); ++i) {
      const at::Tensor direction = at::randn_like(variables[i]).detach();
      const auto loss_at = [&](double step) {
        const torch::NoGradGuard no_grad;
        variables[i].add_(direction, step);
        const double value =
            loss(attend_with(*built, inputs, packing, packing, setting)).item<double>();
        variables[i].sub_(direction, step);
        return value;
      };
      const double h = 1e-5;
      EXPECT_NEAR((gradients[i] * direction).sum().item<double>(),
                  (loss_at(h) - loss_at(-h)) / (2 * h), 1e-7)
          << "tensor " << i;
    }
  }
}

TEST_P(EveryEncoding, CachedDecodingEqualsTheFullPass) {
  constexpr int64_t kLength = 23;
  const Packing packing({kLength, kLength});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  const auto built = scheme(true);
  const at::Tensor full = attend_with(*built, inputs, packing, packing, {.causal = true});

  const auto dense = [&](const at::Tensor& x) {  // [B, H, T, Dh]
    return x.view({2, kLength, kHeads, kHeadWidth}).transpose(1, 2);
  };
  const auto embedded = [&](const at::Tensor& x) {
    return dense(built->embed(x.flatten(1), packing.positions()));
  };
  const torch::NoGradGuard no_grad;
  const at::Tensor q = embedded(inputs.q), k = embedded(inputs.k), v = dense(inputs.v);
  // Single steps, and blocks of a prefix that is forced.
  for (const int64_t block : {1, 5}) {
    for (int64_t start = 0; start < kLength; start += block) {
      const int64_t rows = std::min(block, kLength - start);
      const Extent extent{start, rows, start + rows};
      const ScoreTerms terms = built->terms(1, extent);
      const at::Tensor output = attend_dense({.queries = q.narrow(2, start, rows),
                                              .keys = k.narrow(2, 0, extent.keys),
                                              .values = v.narrow(2, 0, extent.keys),
                                              .key_mask = {},
                                              .terms = terms,
                                              .extent = extent,
                                              .causal = true});
      EXPECT_LE(largest_gap(output, dense(full).narrow(2, start, rows)), 1e-12)
          << "rows from " << start;
    }
  }
}

TEST_P(EveryEncoding, FloatStaysCloseToDouble) {
  const Packing packing({30, 12});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  const auto built = scheme();
  const at::Tensor wanted = attend_with(*built, inputs, packing, packing, {});
  built->to(at::kFloat);
  const Inputs floats{inputs.q.to(at::kFloat), inputs.k.to(at::kFloat), inputs.v.to(at::kFloat)};
  for (const Backend backend : {Backend::kReference, Backend::kSdpa}) {
    const at::Tensor output = attend_with(*built, floats, packing, packing, {.backend = backend});
    EXPECT_EQ(output.scalar_type(), at::kFloat);
    EXPECT_LE(largest_gap(output.to(at::kDouble), wanted), 2e-5);
  }
}

/// Mixed precision: activations in bfloat16, tables in float.
TEST_P(EveryEncoding, BFloat16StaysCloseToDouble) {
  const Packing packing({30, 12});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  const auto round = [](const at::Tensor& x) {
    return (0.3 * x).to(at::kBFloat16).detach().requires_grad_(true);
  };
  const Inputs rounded{round(inputs.q), round(inputs.k), round(inputs.v)};
  const Inputs same{rounded.q.to(at::kDouble), rounded.k.to(at::kDouble),
                    rounded.v.to(at::kDouble)};
  const auto built = scheme();
  const at::Tensor wanted = attend_with(*built, same, packing, packing, {});
  built->to(at::kFloat);
  const at::Tensor output =
      attend_with(*built, rounded, packing, packing, {.backend = Backend::kSdpa});
  EXPECT_EQ(output.scalar_type(), at::kBFloat16);
  EXPECT_LE(largest_gap(output.to(at::kDouble), wanted), 2e-2);
}

std::string test_name(const testing::TestParamInfo<Encoding>& info) {
  std::string name;
  for (const char c : info.param.spec)
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

/// Waiting for a second thread takes longer than tensors of this size.
class OneThread : public testing::Environment {
 public:
  void SetUp() override { at::set_num_threads(1); }
};

const testing::Environment* const kOneThread = testing::AddGlobalTestEnvironment(new OneThread);

INSTANTIATE_TEST_SUITE_P(Encodings, EveryEncoding, testing::ValuesIn(kEncodings), test_name);

/// The heads of a mix, each alone with the parameters it has in the mix.
TEST(HeadMix, EqualsSeparateRuns) {
  const std::map<std::string, std::vector<int64_t>> parts = {
      {"diet-rel(clip=6)", {0, 3}}, {"shaw(clip=2,share=none)", {1}}, {"t5(scaled=false)", {2}}};
  const auto mix =
      make_scheme("heads[diet-rel(clip=6):0,3,shaw(clip=2,share=none):1,t5(scaled=false):2]",
                  AttentionSite::kEncoder);
  const Packing packing({13, 4});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  for (const Backend backend : {Backend::kReference, Backend::kSdpa}) {
    const at::Tensor mixed = attend_with(*mix, inputs, packing, packing, {.backend = backend});
    for (const auto& [spec, heads] : parts) {
      EncodingContext own = context(AttentionSite::kEncoder);
      own.heads = static_cast<int64_t>(heads.size());
      PositionScheme alone(spec, own);
      alone.to(at::kDouble);
      const std::string name = alone.named_children().keys().front();
      const std::string mixed_name = name + "_" + std::to_string(heads.front());
      {
        const torch::NoGradGuard no_grad;
        const auto source = mix->named_children()[mixed_name]->parameters();
        const auto target = alone.parameters();
        ASSERT_EQ(source.size(), target.size());
        for (size_t i = 0; i < source.size(); ++i) target[i].copy_(source[i]);
      }
      const at::Tensor index = at::tensor(heads);
      const auto select = [&](const at::Tensor& x) { return x.index_select(1, index); };
      const Inputs own_inputs{select(inputs.q), select(inputs.k), select(inputs.v)};
      EXPECT_LE(largest_gap(attend_with(alone, own_inputs, packing, packing, {.backend = backend}),
                            select(mixed)),
                1e-13)
          << spec;
    }
  }
}

TEST(CrossAttention, SdpaEqualsReference) {
  const Packing queries({4, 9, 1});
  const Packing keys({11, 2, 7});
  const Inputs inputs = make_inputs(queries.tokens(), keys.tokens());
  for (const std::string spec : {"none", "diet-rel", "diet-rel(clip=3,share=heads)"}) {
    const auto scheme = make_scheme(spec, AttentionSite::kCross);
    const auto wanted = output_and_gradients(*scheme, inputs, queries, keys, {});
    const auto actual =
        output_and_gradients(*scheme, inputs, queries, keys, {.backend = Backend::kSdpa});
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_LE(largest_gap(actual[i], wanted[i]), 1e-12) << spec << ", tensor " << i;
  }
}

/// The beams of a sentence are rows at one position, which may lie behind the last key.
TEST(CrossAttention, RowsAtOnePosition) {
  const auto scheme = make_scheme("diet-rel(clip=3)", AttentionSite::kCross);
  torch::manual_seed(3);
  const at::Tensor q = at::randn({2, kHeads, 3, kHeadWidth}, at::kDouble);
  const at::Tensor k = at::randn({2, kHeads, 5, kHeadWidth}, at::kDouble);
  const at::Tensor mask = at::tensor({1, 1, 1, 1, 1, 1, 1, 0, 0, 0}).view({2, 5}).to(at::kBool);
  for (const int64_t position : {0, 2, 30}) {
    const Extent extent{position, 1, 5};
    const ScoreTerms terms = scheme->terms(0, extent);
    const auto run = [&](const at::Tensor& rows) {
      return attend_dense({.queries = rows,
                           .keys = k,
                           .values = k,
                           .key_mask = mask,
                           .terms = terms,
                           .extent = extent});
    };
    const at::Tensor together = run(q);
    for (int64_t beam = 0; beam < 3; ++beam)
      EXPECT_LE(largest_gap(run(q.narrow(2, beam, 1)), together.narrow(2, beam, 1)), 1e-14);
  }
}

TEST(AttentionDropout, DependsOnTheKeyAlone) {
  const Packing packing({20, 20});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  const auto scheme = make_scheme("diet-rel", AttentionSite::kEncoder);
  const auto run = [&](double dropout, uint64_t key) {
    return attend_with(*scheme, inputs, packing, packing,
                       {.backend = Backend::kSdpa, .dropout = dropout, .dropout_key = key});
  };
  EXPECT_TRUE(at::equal(run(0.3, 5), run(0.3, 5)));
  EXPECT_GT(largest_gap(run(0.3, 5), run(0.3, 6)), 0.01);
  EXPECT_GT(largest_gap(run(0.3, 5), run(0.0, 5)), 0.01);
}

TEST(Backend, NamesAndReasons) {
  EXPECT_EQ(parse_backend("auto"), Backend::kAuto);
  EXPECT_EQ(parse_backend("sdpa"), Backend::kSdpa);
  EXPECT_EQ(parse_backend("reference"), Backend::kReference);
  try {
    parse_backend("cudnn");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "no attention backend 'cudnn'; possible: auto, cpu, sdpa, reference");
  }
  const Packing packing({2});
  const Inputs inputs = make_inputs(2, 2);
  ScoreTerms terms;
  terms.content_scale = {1.0};
  terms.segment_bias = at::zeros({1, 2, 2}, at::kDouble);
  const AttentionCall call{.queries = inputs.q,
                           .keys = inputs.k,
                           .values = inputs.v,
                           .query_packing = packing,
                           .key_packing = packing,
                           .terms = terms};
  EXPECT_EQ(reasons_against(Backend::kSdpa, call),
            std::vector<std::string>{"a segment bias needs the segments of self-attention"});
  EXPECT_THROW(attend(call, Backend::kAuto), ConfigError);
}

}  // namespace
}  // namespace dietmt::encoders
