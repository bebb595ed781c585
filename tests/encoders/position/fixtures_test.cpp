// Every worked example of positions.json in each backend, and causal ones with cached decoding.
#include <ATen/ATen.h>
#include <ATen/TensorIndexing.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

#include "encoders/attention/backends.h"
#include "encoders/attention/untied_vectors.h"
#include "encoders/attention/vector_terms.h"
#include "encoders/position/scheme/position_scheme.h"
#include "fixture_cases.h"
#include "fixture_file.h"
#include "tests/encoders/position/encoding_run.h"

namespace dietmt::encoders {
namespace {

using nlohmann::json;
using torch::indexing::Slice;

std::vector<int64_t> padded_row_list(const std::vector<int64_t>& lengths, int64_t padded) {
  std::vector<int64_t> rows;
  for (size_t b = 0; b < lengths.size(); ++b)
    for (int64_t i = 0; i < lengths[b]; ++i) rows.push_back(static_cast<int64_t>(b) * padded + i);
  return rows;
}

FixtureSizes fixture_sizes() {
  const json& dims = fixtures().at("dims");
  return {.keys = dims.at("n").get<int64_t>(),
          .cross_queries = dims.at("cross_queries").get<int64_t>(),
          .clip = dims.at("clip_t").get<int64_t>(),
          .rank = dims.at("dp").get<int64_t>(),
          .compressed = dims.at("k_lin").get<int64_t>()};
}

class Example {
 public:
  Example(const FixtureCase& definition, at::ScalarType type)
      : definition_(definition),
        expected_(fixtures().at("cases").at(definition.name)),
        type_(type),
        stacked_(definition.name.starts_with("stack2")),
        causal_(expected_.at("causal").get<bool>()),
        cross_(expected_.at("cross").get<bool>()) {
    const json& dims = fixtures().at("dims");
    lengths_ = dims.at("lengths").get<std::vector<int64_t>>();
    query_lengths_ = cross_ ? dims.at("cross_query_lengths").get<std::vector<int64_t>>() : lengths_;
    padded_ = dims.at("n").get<int64_t>();
    heads_ = dims.at("H").get<int64_t>();
    segments_ = tensor_of(dims.at("segments")).to(at::kLong);
    load_inputs();
    build_scheme(dims);
  }

  at::Tensor forward(Backend backend) {
    const Packing keys(lengths_);
    const Packing queries(query_lengths_);
    const at::Tensor x = embed(pack(leaf("w"), lengths_), keys);
    if (!stacked_) {
      const at::Tensor y = cross_ ? embed(pack(leaf("y"), query_lengths_), queries) : x;
      return attend_layer(y, x, queries, keys, 0, backend);
    }
    at::Tensor sum = x;
    for (int64_t layer = 0; layer < layers(); ++layer)
      sum = sum + attend_layer(sum, sum, keys, keys, layer, backend);
    return sum;
  }

  /// Compares the scores of real pairs with the file, sentence by sentence.
  void check_scores(double tolerance) {
    const at::Tensor expected = tensor_of(expected_.at("scores"));
    const at::Tensor& target = leaf(cross_ ? "y" : "w");
    for (size_t b = 0; b < lengths_.size(); ++b) {
      const Packing keys({lengths_[b]});
      const Packing queries({query_lengths_[b]});
      const auto index = static_cast<int64_t>(b);
      const at::Tensor x = embed(leaf("w")[index].slice(0, 0, lengths_[b]), keys, index);
      const at::Tensor y = embed(target[index].slice(0, 0, query_lengths_[b]), queries, index);
      ScoreTerms terms = lower({queries.max_length(), keys.max_length()})[0];
      at::Tensor q = project(y, "WQ"), k = project(x, "WK");
      if (unties_vectors(terms)) {
        const UntiedVectors untied = untie_vectors(q, k, queries.positions(), terms);
        q = untied.queries;
        k = untied.keys;
        terms = untied.terms;
      }
      q = move_queries(q, queries.positions(), terms);
      k = compress(move_keys(k, keys.positions(), terms), keys, terms.key_compression);
      const at::Tensor scores =
          sentence_scores({.q = q.transpose(0, 1),
                           .k = k.transpose(0, 1),
                           .segments = segments_[index].slice(0, 0, lengths_[b]),
                           .causal = causal_},
                          terms);
      const at::Tensor wanted =
          expected[index].slice(1, 0, query_lengths_[b]).slice(2, 0, scores.size(2));
      EXPECT_LE((scores.to(at::kDouble) - wanted).abs().max().item<double>(), tolerance);
    }
  }

  /// Step by step with a cache of keys and values.
  at::Tensor decode() {
    const torch::NoGradGuard no_grad;
    const auto sentences = static_cast<int64_t>(lengths_.size());
    const at::Tensor positions = at::arange(padded_);
    const at::Tensor x =
        scheme_->embed(leaf("w").flatten(0, 1), positions.repeat({sentences})).view_as(leaf("w"));
    const at::Tensor q = project(x, "WQ"), k = project(x, "WK"), v = project(x, "WV");
    const StepTerms terms = step_terms(lower({padded_, padded_}), q)[0];
    return pack(decoded(terms, q, k, v).flatten(2), lengths_);
  }

  at::Tensor expected_output() const {
    return pack(tensor_of(expected_.at("out")), query_lengths_);
  }

  at::Tensor loss(const at::Tensor& output) const {
    const at::Tensor weights = tensor_of(fixtures().at("inputs").at(cross_ ? "G_cross" : "G"));
    return (output * pack(weights, query_lengths_).to(type_)).sum();
  }

  double expected_loss() const { return expected_.at("loss").get<double>(); }
  bool causal() const { return causal_; }

  /// After backward(): compares the gradients of inputs and parameters.
  void check_gradients(double tolerance) {
    Tensors expected = tensors_of(expected_.at("grad"));
    const auto check = [&](const std::string& name, const at::Tensor& actual,
                           const at::Tensor& wanted) {
      ASSERT_TRUE(actual.defined()) << name;
      EXPECT_LE((actual.to(at::kDouble) - wanted).abs().max().item<double>(), tolerance) << name;
    };
    for (const Loaded& loaded : definition_.loaded) {
      check(loaded.from, scheme_->named_parameters()[loaded.to].grad(),
            loaded.transform(expected.at(loaded.from)));
      expected.erase(loaded.from);
    }
    for (const auto& [name, wanted] : expected) check(name, leaf(name).grad(), wanted);
  }

 private:
  int64_t layers() const { return stacked_ ? leaf("WQ").size(0) : 1; }
  const at::Tensor& leaf(const std::string& name) const { return leaves_.at(name); }

  void load_inputs() {
    leaves_ = tensors_of(expected_.at("params"));
    if (!stacked_) leaves_.merge(tensors_of(fixtures().at("inputs")));
    for (auto& [name, tensor] : leaves_) tensor = tensor.to(type_).requires_grad_(true);
  }

  void build_scheme(const json& dims) {
    AttentionSite site = causal_ ? AttentionSite::kDecoder : AttentionSite::kEncoder;
    if (cross_) site = AttentionSite::kCross;
    const int64_t positions = cross_ ? fixture_sizes().cross_positions() : padded_;
    scheme_ = std::make_shared<PositionScheme>(
        definition_.spec, EncodingContext{.site = site,
                                          .layers = layers(),
                                          .heads = heads_,
                                          .head_width = dims.at("dh").get<int64_t>(),
                                          .model_width = dims.at("d").get<int64_t>(),
                                          .max_positions = positions,
                                          .segments = segments_.max().item<int64_t>() + 1,
                                          .starts_with_summary = true});
    scheme_->to(type_);
    const torch::NoGradGuard no_grad;
    auto parameters = scheme_->named_parameters();
    ASSERT_EQ(parameters.size(), definition_.loaded.size());
    for (const Loaded& loaded : definition_.loaded) {
      ASSERT_TRUE(parameters.contains(loaded.to)) << loaded.to;
      const at::Tensor value = loaded.transform(leaf(loaded.from).detach());
      ASSERT_EQ(parameters[loaded.to].sizes(), value.sizes()) << loaded.to;
      parameters[loaded.to].copy_(value);
    }
  }

  at::Tensor pack(const at::Tensor& padded, const std::vector<int64_t>& lengths) const {
    return padded.flatten(0, 1).index_select(0,
                                             at::tensor(padded_row_list(lengths, padded.size(1))));
  }

  at::Tensor embed(const at::Tensor& x, const Packing& packing) const {
    return scheme_->embed(x, packing.positions(), cross_ ? at::Tensor() : pack_segments());
  }

  /// Embeds one sentence.
  at::Tensor embed(const at::Tensor& x, const Packing& packing, int64_t sentence) const {
    return scheme_->embed(x, packing.positions(), segments_[sentence].slice(0, 0, x.size(0)));
  }

  at::Tensor pack_segments() const { return pack(segments_, lengths_); }

  /// [.., D] -> [.., H, Dh]
  at::Tensor project(const at::Tensor& rows, const char* name, int64_t layer = 0) const {
    return at::matmul(rows, stacked_ ? leaf(name)[layer] : leaf(name)).unflatten(-1, {heads_, -1});
  }

  std::vector<ScoreTerms> lower(const Extent& extent) const {
    return scheme_->lower(extent, leaf("w"));
  }

  at::Tensor attend_layer(const at::Tensor& y, const at::Tensor& x, const Packing& queries,
                          const Packing& keys, int64_t layer, Backend backend) const {
    const ScoreTerms terms = lower({queries.max_length(), keys.max_length()})[layer];
    AttentionCall call{.queries = project(y, "WQ", layer),
                       .keys = project(x, "WK", layer),
                       .values = project(x, "WV", layer),
                       .query_packing = queries,
                       .key_packing = keys,
                       .terms = terms,
                       .causal = causal_};
    if (terms.segment_bias.defined()) call.segments = pack_segments();
    return attend(call, backend).flatten(1);
  }

  const FixtureCase definition_;
  const json& expected_;
  at::ScalarType type_;
  bool stacked_, causal_, cross_;
  std::vector<int64_t> lengths_, query_lengths_;
  int64_t padded_ = 0, heads_ = 0;
  Tensors leaves_;
  at::Tensor segments_;  // [B, n]
  std::shared_ptr<PositionScheme> scheme_;
};

class Fixture : public testing::TestWithParam<FixtureCase> {
 protected:
  void SetUp() override {
    if (!fixtures().at("cases").contains(GetParam().name))
      GTEST_SKIP() << "no case " << GetParam().name << " in " << fixtures_path();
  }

  void check(Backend backend, at::ScalarType type, double tolerance, double gradient_tolerance) {
    Example example(GetParam(), type);
    if (HasFatalFailure()) return;
    const at::Tensor output = example.forward(backend);
    EXPECT_LE(largest_gap(output, example.expected_output()), tolerance);
    const at::Tensor loss = example.loss(output);
    EXPECT_NEAR(loss.item<double>(), example.expected_loss(), gradient_tolerance);
    loss.backward();
    example.check_gradients(gradient_tolerance);
  }
};

TEST_P(Fixture, ReferenceInDouble) { check(Backend::kReference, at::kDouble, 1e-12, 1e-10); }
TEST_P(Fixture, SdpaInDouble) { check(Backend::kSdpa, at::kDouble, 1e-12, 1e-10); }
TEST_P(Fixture, ReferenceInFloat) { check(Backend::kReference, at::kFloat, 2e-6, 2e-5); }
TEST_P(Fixture, SdpaInFloat) { check(Backend::kSdpa, at::kFloat, 2e-6, 2e-5); }

/// Terms that the fused kernels lack use another backend.
TEST_P(Fixture, AutoInFloat) { check(Backend::kAuto, at::kFloat, 2e-6, 2e-5); }

/// Cases of one layer: for the others, the file has the scores of the second layer.
class FixtureScores : public Fixture {};

TEST_P(FixtureScores, InDouble) { Example(GetParam(), at::kDouble).check_scores(1e-12); }

/// Causal cases, which can be decoded step by step.
class FixtureDecoding : public Fixture {};

TEST_P(FixtureDecoding, WithACache) {
  Example example(GetParam(), at::kFloat);
  ASSERT_TRUE(example.causal());
  EXPECT_LE(largest_gap(example.decode(), example.expected_output()), 2e-6);
}

template <typename Condition>
std::vector<FixtureCase> cases_where(Condition condition) {
  std::vector<FixtureCase> all = fixture_cases(fixture_sizes());
  std::erase_if(all, [&](const FixtureCase& c) { return !condition(c.name); });
  return all;
}

std::string case_name(const testing::TestParamInfo<FixtureCase>& tested) {
  return tested.param.name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Fixture, testing::ValuesIn(fixture_cases(fixture_sizes())),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Cases, FixtureScores,
                         testing::ValuesIn(cases_where([](const std::string& name) {
                           return !name.starts_with("stack2");
                         })),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Cases, FixtureDecoding,
                         testing::ValuesIn(cases_where([](const std::string& name) {
                           return name.ends_with("_causal");
                         })),
                         case_name);

TEST(Fixtures, EveryCaseOfTheFileRuns) {
  const std::vector<FixtureCase> all = fixture_cases(fixture_sizes());
  for (const auto& [name, content] : fixtures().at("cases").items())
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&, wanted = name](const FixtureCase& c) {
      return c.name == wanted;
    })) << name;
}

}  // namespace
}  // namespace dietmt::encoders
