// Properties of every encoding, backend and size.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIndexing.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "encoders/position/term_table.h"
#include "tests/encoders/position/encoding_list.h"
#include "tests/encoders/position/encoding_run.h"

namespace dietmt::encoders {
namespace {

class EveryEncoding : public testing::TestWithParam<Encoding> {
 protected:
  std::shared_ptr<PositionScheme> scheme(bool causal) const {
    return make_scheme(GetParam().spec, causal ? AttentionSite::kDecoder : AttentionSite::kEncoder);
  }
  /// Where the encoding can be used: not causal, causal or both.
  std::vector<bool> causal_values() const {
    std::vector<bool> values;
    if (GetParam().encoder) values.push_back(false);
    if (GetParam().decoder) values.push_back(true);
    return values;
  }
  bool first_causal() const { return causal_values().front(); }
  /// The name of an entry of output_and_gradients().
  static std::string name(const PositionScheme& scheme, size_t entry) {
    std::vector<std::string> names = {"q", "k", "v"};
    for (const auto& parameter : scheme.named_parameters()) names.push_back(parameter.key());
    names.emplace_back("output");
    return names.at(entry);
  }
};

TEST_P(EveryEncoding, HasTheParametersOfItsFormula) {
  const AttentionSite site = first_causal() ? AttentionSite::kDecoder : AttentionSite::kEncoder;
  const PositionScheme built(GetParam().spec, context(site));
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
    for (const bool causal : causal_values()) {
      for (const double dropout : {0.0, 0.3}) {
        Setting setting{.backend = Backend::kReference, .causal = causal, .dropout = dropout};
        const auto built = scheme(causal);
        const auto wanted = output_and_gradients(*built, inputs, packing, packing, setting);
        setting.backend = Backend::kSdpa;
        const auto actual = output_and_gradients(*built, inputs, packing, packing, setting);
        for (size_t i = 0; i < wanted.size(); ++i)
          EXPECT_LE(largest_gap(actual[i], wanted[i]), 1e-11)
              << name(*built, i) << ", " << lengths.size() << " sentences, the first of "
              << lengths[0] << " tokens, causal " << causal << ", dropout " << dropout;
      }
    }
  }
}

TEST_P(EveryEncoding, ABatchEqualsItsSentences) {
  const Packing packing({3, 97, 1, 30});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  for (const Backend backend : {Backend::kReference, Backend::kSdpa}) {
    const bool causal = first_causal();
    const Setting setting{.backend = backend, .causal = causal};
    const at::Tensor batch = attend_with(*scheme(causal), inputs, packing, packing, setting);
    for (size_t b = 0; b < packing.lengths().size(); ++b) {
      const auto rows = torch::indexing::Slice(packing.offsets()[b], packing.offsets()[b + 1]);
      const Inputs own{inputs.q.index({rows}), inputs.k.index({rows}), inputs.v.index({rows})};
      const Packing alone({packing.lengths()[b]});
      EXPECT_LE(largest_gap(attend_with(*scheme(causal), own, alone, alone, setting),
                            batch.index({rows})),
                1e-13);
    }
  }
}

TEST_P(EveryEncoding, GradientsAreThoseOfFiniteDifferences) {
  const Packing packing({4, 2});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  const auto built = scheme(first_causal());
  std::vector<at::Tensor> variables = inputs.all();
  for (const at::Tensor& parameter : built->parameters()) variables.push_back(parameter);
  for (const Backend backend : {Backend::kReference, Backend::kSdpa}) {
    const Setting setting{.backend = backend, .causal = first_causal(), .dropout = 0.2};
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
      const double expected = (loss_at(h) - loss_at(-h)) / (2 * h);
      EXPECT_NEAR((gradients[i] * direction).sum().item<double>(), expected,
                  1e-7 * std::max(1.0, std::abs(expected)))
          << name(*built, i);
    }
  }
}

/// For decoders, whose words have no segments.
class EveryDecoderEncoding : public EveryEncoding {};

/// Each step of cached decoding reads its position's rows from tables of the whole sentence.
TEST_P(EveryDecoderEncoding, CachedDecodingEqualsTheFullPass) {
  constexpr int64_t kSentences = 2, kLength = 23;
  const Packing packing({kLength, kLength});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  const auto built = scheme(true);
  const torch::NoGradGuard no_grad;
  const auto by_sentence = [&](const at::Tensor& x) {  // [N, H Dh] -> [B, T, H, Dh]
    return x.view({kSentences, kLength, kRunHeads, kRunHeadWidth}).to(at::kFloat);
  };
  const auto embedded = [&](const at::Tensor& x) {
    return by_sentence(built->embed(x.flatten(1), packing.positions(), segments_of(packing)));
  };
  const at::Tensor full =
      by_sentence(attend_with(*built, inputs, packing, packing, {.causal = true}).flatten(1));
  const at::Tensor q = embedded(inputs.q), k = embedded(inputs.k), v = by_sentence(inputs.v);
  built->to(at::kFloat);
  const StepTerms terms = step_terms(built->lower({kLength, kLength}, q), q)[1];
  const at::Tensor output = decoded(terms, q, k, v);
  for (int64_t t = 0; t < kLength; ++t)
    EXPECT_LE(largest_gap(output.select(1, t), full.select(1, t)), 1e-5) << "position " << t;
}

/// As exports request them.
TEST_P(EveryEncoding, TermsInDoubleOfParametersInFloat) {
  const auto built = scheme(first_causal());
  built->to(at::kFloat);
  const torch::NoGradGuard no_grad;
  const ScoreTerms found = built->lower({5, 5}, at::empty({0}, at::kDouble))[1];
  const ScoreTerms expected = built->lower({5, 5}, at::empty({0}, at::kFloat))[1];
  for (const Term& term : kTerms) {
    if (!(expected.*term.table).defined()) continue;
    EXPECT_LE(largest_gap(found.*term.table, expected.*term.table), 1e-5) << term.name;
  }
}

/// Layers with the same numbers share the tensor, so that it is computed once.
TEST_P(EveryEncoding, LayersShareATableOrHaveTheirOwn) {
  const auto layers = scheme(first_causal())->lower({5, 5}, at::empty({0}, at::kDouble));
  ASSERT_EQ(layers.size(), size_t{kRunLayers});
  for (const Term& term : kTerms) {
    const at::Tensor& first = layers[0].*term.table;
    const at::Tensor& second = layers[1].*term.table;
    ASSERT_EQ(first.defined(), second.defined());
    EXPECT_TRUE(!first.defined() || first.is_same(second) || !first.equal(second));
  }
}

/// A parameter with a table per layer, [L, H|1, rows, ...]: no layer reads another's.
TEST_P(EveryEncoding, EachLayerReadsItsOwnParameters) {
  const auto built = scheme(first_causal());
  const auto layers =
      built->lower({kRunMaxPositions, kRunMaxPositions}, at::empty({0}, at::kDouble));
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    at::Tensor sum = at::zeros({}, at::kDouble);
    for (const Term& term : kTerms) {
      const at::Tensor& table = layers[layer].*term.table;
      if (table.defined()) sum = sum + loss(table);
    }
    for (const auto& parameter : built->named_parameters()) {
      const at::Tensor& table = parameter.value();
      if (table.dim() < 3 || table.size(0) != kRunLayers) continue;
      ASSERT_TRUE(sum.requires_grad()) << parameter.key();
      const at::Tensor gradient = torch::autograd::grad({sum}, {table}, {}, true, false, true)[0];
      ASSERT_TRUE(gradient.defined()) << parameter.key();
      for (size_t row = 0; row < layers.size(); ++row)
        EXPECT_EQ(gradient[static_cast<int64_t>(row)].count_nonzero().item<int64_t>() > 0,
                  row == layer)
            << parameter.key() << ", layer " << layer << ", row " << row;
    }
  }
}

TEST_P(EveryEncoding, IsTheSameAfterSavingAndLoading) {
  const auto saved = scheme(first_causal());
  std::stringstream file;
  torch::serialize::OutputArchive out;
  saved->save(out);
  out.save_to(file);
  at::manual_seed(8);
  PositionScheme loaded(
      saved->spec(), context(first_causal() ? AttentionSite::kDecoder : AttentionSite::kEncoder));
  loaded.to(at::kDouble);
  torch::serialize::InputArchive in;
  in.load_from(file);
  loaded.load(in);
  const Packing packing({11, 2});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  const Setting setting{.causal = first_causal()};
  EXPECT_TRUE(at::equal(attend_with(loaded, inputs, packing, packing, setting),
                        attend_with(*saved, inputs, packing, packing, setting)));
}

TEST_P(EveryEncoding, FloatStaysCloseToDouble) {
  const Packing packing({30, 12});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  const auto built = scheme(first_causal());
  const at::Tensor wanted =
      attend_with(*built, inputs, packing, packing, {.causal = first_causal()});
  built->to(at::kFloat);
  const Inputs floats{inputs.q.to(at::kFloat), inputs.k.to(at::kFloat), inputs.v.to(at::kFloat)};
  for (const Backend backend : {Backend::kReference, Backend::kSdpa}) {
    const at::Tensor output = attend_with(*built, floats, packing, packing,
                                          {.backend = backend, .causal = first_causal()});
    EXPECT_EQ(output.scalar_type(), at::kFloat);
    EXPECT_LE(largest_gap(output.to(at::kDouble), wanted), 2e-5);
  }
}

/// For the fused kernels: all except contextual positions.
class EveryFusedEncoding : public EveryEncoding {};

/// The fused kernels, which support only fp32 and bf16, with dropout and every gradient. Errors are
/// compared with those of the reference in fp32, the best that fp32 can do.
TEST_P(EveryFusedEncoding, CpuStaysAsCloseToDoubleAsTheReference) {
  for (const std::vector<int64_t>& lengths :
       std::vector<std::vector<int64_t>>{{1}, {97}, {7, 1, 97, 30}}) {
    const Packing packing(lengths);
    const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
    const Inputs floats{inputs.q.detach().to(at::kFloat).requires_grad_(true),
                        inputs.k.detach().to(at::kFloat).requires_grad_(true),
                        inputs.v.detach().to(at::kFloat).requires_grad_(true)};
    Setting setting{.causal = first_causal(), .dropout = 0.3};
    const auto built = scheme(first_causal());
    const auto wanted = output_and_gradients(*built, inputs, packing, packing, setting);
    built->to(at::kFloat);
    const auto plain = output_and_gradients(*built, floats, packing, packing, setting);
    setting.backend = Backend::kCpu;
    const auto fused = output_and_gradients(*built, floats, packing, packing, setting);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const double unit = 1e-6 * std::max(1.0, wanted[i].abs().max().item<double>());
      EXPECT_LE(largest_gap(fused[i], wanted[i]), 2 * largest_gap(plain[i], wanted[i]) + 5 * unit)
          << name(*built, i) << ", " << lengths.size() << " sentences of " << lengths[0];
    }
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
  const auto built = scheme(first_causal());
  const at::Tensor wanted = attend_with(*built, same, packing, packing, {.causal = first_causal()});
  built->to(at::kFloat);
  const at::Tensor output = attend_with(*built, rounded, packing, packing,
                                        {.backend = Backend::kSdpa, .causal = first_causal()});
  EXPECT_EQ(output.scalar_type(), at::kBFloat16);
  // Compressed values are sums over many words: larger, and so are their rounding errors.
  const double size = std::max(1.0, wanted.abs().max().item<double>());
  EXPECT_LE(largest_gap(output, wanted), 2e-2 * size);
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

template <typename Condition>
std::vector<Encoding> encodings_where(Condition condition) {
  std::vector<Encoding> all = encodings_with_summary();
  std::erase_if(all, [&](const Encoding& encoding) { return !condition(encoding); });
  return all;
}

bool has(const Encoding& encoding, const char* name) {
  return encoding.spec.find(name) != std::string::npos;
}

INSTANTIATE_TEST_SUITE_P(Encodings, EveryEncoding, testing::ValuesIn(encodings_with_summary()),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Encodings, EveryDecoderEncoding,
                         testing::ValuesIn(encodings_where([](const Encoding& encoding) {
                           return encoding.decoder && !has(encoding, "segments");
                         })),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Encodings, EveryFusedEncoding,
                         testing::ValuesIn(encodings_where([](const Encoding& encoding) {
                           return !has(encoding, "cope");
                         })),
                         test_name);

}  // namespace
}  // namespace dietmt::encoders
