// The worked examples of an independent implementation (positions.json, its README gives the
// conventions): sizes, inputs and parameters all come from the file that DIETMT_FIXTURES names.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "encoders/attention/backends.h"
#include "encoders/position/position_encoding.h"
#include "encoders/position/sinusoidal.h"
#include "encoders/position/t5.h"

namespace dietmt::encoders {
namespace {

using nlohmann::json;
using torch::indexing::Slice;
using Tensors = std::map<std::string, at::Tensor>;

std::string fixtures_path() {
  if (const char* file = std::getenv("DIETMT_FIXTURES")) return file;
  const char* shared = std::getenv("DIETMT_SHARED");
  return std::string(shared ? shared : "../shared") + "/fixtures/positions.json";
}

/// The file, or null if there is none.
const json& fixtures() {
  static const json file = [] {
    std::ifstream in(fixtures_path());
    return in ? json::parse(in) : json();
  }();
  return file;
}

void flatten(const json& nested, std::vector<double>& values) {
  if (!nested.is_array()) return values.push_back(nested.get<double>());
  for (const json& item : nested) flatten(item, values);
}

at::Tensor tensor_of(const json& nested) {
  std::vector<int64_t> sizes;
  for (const json* level = &nested; level->is_array(); level = &level->at(0))
    sizes.push_back(static_cast<int64_t>(level->size()));
  std::vector<double> values;
  flatten(nested, values);
  return at::tensor(values, at::kDouble).view(sizes);
}

Tensors tensors_of(const json& named) {
  Tensors tensors;
  for (const auto& [name, value] : named.items()) tensors[name] = tensor_of(value);
  return tensors;
}

// ---- what each case means here

using Transform = std::function<at::Tensor(const at::Tensor&)>;

at::Tensor same(const at::Tensor& x) { return x; }
at::Tensor one_layer(const at::Tensor& x) { return x.unsqueeze(0); }  // [H, ..]
at::Tensor one_table(const at::Tensor& x) { return x.unsqueeze(0).unsqueeze(0); }
at::Tensor buckets_first(const at::Tensor& x) { return x.t().unsqueeze(0); }  // [buckets, H]
at::Tensor reversed(const at::Tensor& x) { return x.flip(-1).unsqueeze(0); }  // by i - j
at::Tensor reversed_layers(const at::Tensor& x) { return x.flip(-1); }

/// [H, T + S - 1] by i - j, of T = S - 1 queries: the largest distance back does not occur.
at::Tensor reversed_cross(const at::Tensor& x) {
  return at::constant_pad_nd(x.flip(-1), {1, 0}).unsqueeze(0);
}

/// Where a parameter of the file goes: its gradient goes through the same transform.
struct Loaded {
  std::string from;
  std::string to;
  Transform transform;
};

/// Terms that no encoding of the table makes yet, from the file's parameters and its double or
/// float copies.
using MakeTerms = std::function<void(const Tensors& parameters, ScoreTerms& terms)>;

struct Case {
  std::string name;
  std::string spec;
  std::vector<Loaded> loaded;
  MakeTerms make_terms = {};
};

void PrintTo(const Case& printed, std::ostream* out) { *out << printed.name; }

const Loaded kLearned = {"P", "learned.table", same};
const Loaded kFrequencies = {"omega", "learnable_sinusoidal.frequencies", same};
const Loaded kShawKeys = {"aK", "shaw.keys", one_table};
const Loaded kShawValues = {"aV", "shaw.values", one_table};
const Loaded kShawTied = {"a", "shaw.keys", one_table};
const Loaded kT5 = {"b", "t5.table", buckets_first};
const Loaded kScalars = {"b", "diet_rel.table", one_layer};
const Loaded kDiet = {"R", "diet_rel.table", reversed};
const std::string kT5Spec = "t5(buckets=8,distance=6,share=none";

void add_segments(const Tensors& p, ScoreTerms& terms) { terms.segment_bias = p.at("ES"); }

std::vector<Case> cases() {
  return {
      {"none", "none", {}},
      {"none_causal", "none", {}},
      {"none_cross", "none", {}},
      {"ape_sinusoidal", "sinusoidal", {}},
      {"ape_sinusoidal_halves", "sinusoidal(layout=halves)", {}},
      {"ape_learned", "learned", {kLearned}},
      {"ape_learned_causal", "learned", {kLearned}},
      {"ape_learnable_sinusoid", "learnable-sinusoidal", {kFrequencies}},
      {"shaw_key", "shaw(clip=2,values=false)", {kShawKeys}},
      {"shaw_key_value", "shaw(clip=2)", {kShawKeys, kShawValues}},
      {"shaw_key_value_causal", "shaw(clip=2)", {kShawKeys, kShawValues}},
      {"shaw_key_value_tied", "shaw(clip=2,tied=true)", {kShawTied}},
      {"shaw_key_per_head",
       "shaw(clip=2,values=false,share=none)",
       {{"aK", "shaw.keys", one_layer}}},
      {"combo_ape_learned_rpe_learned", "learned+shaw(clip=2,tied=true)", {kLearned, kShawTied}},
      {"combo_ape_learnable_sinusoid_rpe_learned",
       "learnable-sinusoidal+shaw(clip=2,tied=true)",
       {kFrequencies, kShawTied}},
      {"t5_bucket_bidirectional", kT5Spec + ")", {kT5}},
      {"t5_bucket_causal", kT5Spec + ")", {kT5}},
      {"t5_bucket_unscaled", kT5Spec + ",scaled=false)", {kT5}},
      {"relative_scalar_unbucketed", "diet-rel", {kScalars}},
      {"bert_r", "learned+diet-rel", {kLearned, kScalars}},
      {"diet_rel", "diet-rel", {kDiet}},
      {"diet_rel_head_shared", "diet-rel(share=heads)", {kDiet}},
      {"diet_rel_causal", "diet-rel", {kDiet}},
      {"diet_rel_cross", "diet-rel", {{"R", "diet_rel.table", reversed_cross}}},
      {"diet_rel_segment_per_head", "diet-rel", {kDiet}, add_segments},
      {"stack2_diet_rel_none", "diet-rel", {{"R", "diet_rel.table", reversed_layers}}},
      {"stack2_diet_rel_head_wise",
       "diet-rel(share=heads)",
       {{"R", "diet_rel.table", reversed_layers}}},
      {"stack2_diet_rel_layer_wise",
       "diet-rel(share=layers)",
       {{"R", "diet_rel.table", reversed_layers}}},
      // Terms that encodings to come will use, made by hand.
      {"relative_key_query",
       "none",
       {},
       [](const Tensors& p, ScoreTerms& terms) {
         terms.relative_keys = p.at("Drel").flip(0).unsqueeze(0);
         terms.relative_queries = terms.relative_keys;
       }},
      {"diet_abs",
       "none",
       {},
       [](const Tensors& p, ScoreTerms& terms) {
         terms.query_features = p.at("PQ");
         terms.key_features = p.at("PK");
       }},
      {"diet_abs_head_shared",
       "none",
       {},
       [](const Tensors& p, ScoreTerms& terms) {
         terms.position_bias = at::matmul(p.at("PQ"), p.at("PK").transpose(1, 2));
       }},
  };
}

// ---- running a case

std::vector<int64_t> padded_row_list(const std::vector<int64_t>& lengths, int64_t padded) {
  std::vector<int64_t> rows;
  for (size_t b = 0; b < lengths.size(); ++b)
    for (int64_t i = 0; i < lengths[b]; ++i) rows.push_back(static_cast<int64_t>(b) * padded + i);
  return rows;
}

class Example {
 public:
  Example(const Case& definition, at::ScalarType type)
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
    padded_queries_ = cross_ ? dims.at("cross_queries").get<int64_t>() : padded_;
    heads_ = dims.at("H").get<int64_t>();
    load_inputs();
    build_scheme(dims);
    segments_ = tensor_of(dims.at("segments")).to(at::kLong);
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

  /// The scores of real pairs, sentence by sentence, against the file.
  void check_scores(double tolerance) {
    const at::Tensor expected = tensor_of(expected_.at("scores"));
    const Packing keys(lengths_);
    const Packing queries(query_lengths_);
    const at::Tensor x = embed(pack(leaf("w"), lengths_), keys);
    const at::Tensor y = cross_ ? embed(pack(leaf("y"), query_lengths_), queries) : x;
    const ScoreTerms made = terms(0, {0, queries.max_length(), keys.max_length()});
    for (size_t b = 0; b < lengths_.size(); ++b) {
      const auto q_rows = Slice(queries.offsets()[b], queries.offsets()[b + 1]);
      const auto k_rows = Slice(keys.offsets()[b], keys.offsets()[b + 1]);
      const at::Tensor q = split(at::matmul(y.index({q_rows}), leaf("WQ"))).transpose(0, 1);
      const at::Tensor k = split(at::matmul(x.index({k_rows}), leaf("WK"))).transpose(0, 1);
      const at::Tensor scores = sentence_scores(q, k, segments_[b].slice(0, 0, lengths_[b]), made);
      const at::Tensor wanted = expected[b].slice(1, 0, query_lengths_[b]).slice(2, 0, lengths_[b]);
      EXPECT_LE((scores.to(at::kDouble) - wanted).abs().max().item<double>(), tolerance);
    }
  }

  /// Row s of each sentence from a cache of keys and values 0 .. s.
  at::Tensor decode() {
    const at::Tensor positions = at::arange(padded_);
    const int64_t sentences = static_cast<int64_t>(lengths_.size());
    const at::Tensor x =
        scheme_->embed(leaf("w").flatten(0, 1), positions.repeat({sentences})).view_as(leaf("w"));
    const auto project = [&](const char* name) {  // [B, H, n, Dh]
      return split(at::matmul(x, leaf(name))).transpose(1, 2);
    };
    const at::Tensor q = project("WQ"), k = project("WK"), v = project("WV");
    std::vector<at::Tensor> rows;
    for (int64_t s = 0; s < padded_; ++s) {
      const Extent extent{s, 1, s + 1};
      const ScoreTerms made = terms(0, extent);
      rows.push_back(attend_dense({.queries = q.narrow(2, s, 1),
                                   .keys = k.narrow(2, 0, s + 1),
                                   .values = v.narrow(2, 0, s + 1),
                                   .key_mask = {},
                                   .terms = made,
                                   .extent = extent,
                                   .causal = true}));
    }
    return pack(at::cat(rows, 2).transpose(1, 2).flatten(2), lengths_);
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

  /// After backward(): the gradients of inputs and parameters.
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
    scheme_ = std::make_shared<PositionScheme>(
        definition_.spec, EncodingContext{.site = site,
                                          .layers = layers(),
                                          .heads = heads_,
                                          .head_width = dims.at("dh").get<int64_t>(),
                                          .model_width = dims.at("d").get<int64_t>(),
                                          .max_positions = padded_});
    scheme_->to(type_);
    const torch::NoGradGuard no_grad;
    auto parameters = scheme_->named_parameters();
    ASSERT_EQ(parameters.size(), definition_.loaded.size());
    for (const Loaded& loaded : definition_.loaded) {
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
    return scheme_->embed(x, packing.positions());
  }

  at::Tensor split(const at::Tensor& x) const { return x.unflatten(-1, {heads_, -1}); }

  ScoreTerms terms(int64_t layer, const Extent& extent) const {
    ScoreTerms made = scheme_->terms(layer, extent);
    if (definition_.make_terms) definition_.make_terms(leaves_, made);
    return made;
  }

  at::Tensor attend_layer(const at::Tensor& y, const at::Tensor& x, const Packing& queries,
                          const Packing& keys, int64_t layer, Backend backend) const {
    const auto project = [&](const at::Tensor& rows, const char* name) {
      return split(at::matmul(rows, stacked_ ? leaf(name)[layer] : leaf(name)));
    };
    const ScoreTerms made = terms(layer, {0, queries.max_length(), keys.max_length()});
    AttentionCall call{.queries = project(y, "WQ"),
                       .keys = project(x, "WK"),
                       .values = project(x, "WV"),
                       .query_packing = queries,
                       .key_packing = keys,
                       .terms = made,
                       .causal = causal_};
    if (made.segment_bias.defined()) call.segments = pack(segments_, lengths_);
    return attend(call, backend).flatten(1);
  }

  const Case definition_;
  const json& expected_;
  at::ScalarType type_;
  bool stacked_, causal_, cross_;
  std::vector<int64_t> lengths_, query_lengths_;
  int64_t padded_ = 0, padded_queries_ = 0, heads_ = 0;
  Tensors leaves_;
  at::Tensor segments_;  // [B, n]
  std::shared_ptr<PositionScheme> scheme_;
};

double largest_gap(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

class Fixture : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (fixtures().is_null()) GTEST_SKIP() << "no file " << fixtures_path();
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

/// Cases of one layer: the file has the scores of the second layer of the others.
class FixtureScores : public Fixture {};

TEST_P(FixtureScores, InDouble) { Example(GetParam(), at::kDouble).check_scores(1e-12); }

/// Causal cases, which can be decoded step by step.
class FixtureDecoding : public Fixture {};

TEST_P(FixtureDecoding, WithACache) {
  Example example(GetParam(), at::kDouble);
  ASSERT_TRUE(example.causal());
  EXPECT_LE(largest_gap(example.decode(), example.expected_output()), 1e-12);
}

template <typename Condition>
std::vector<Case> cases_where(Condition condition) {
  std::vector<Case> all = cases();
  std::erase_if(all, [&](const Case& c) { return !condition(c.name); });
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& tested) { return tested.param.name; }

INSTANTIATE_TEST_SUITE_P(Cases, Fixture, testing::ValuesIn(cases()), case_name);
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

// ---- cases of the file that nothing above covers

struct Uncovered {
  std::string names;  // a regular expression
  std::string reason;
};

std::vector<Uncovered> uncovered() {
  return {
      {"rpe_.*|combo_.*_rpe_(fixed|learnable)_sinusoid", "relative sinusoids come later"},
      {"tupe_.*|bert_a_d|stack2_tupe_a", "untied positions come later"},
      {"diet_abs_(causal|cross|segment_per_head)|stack2_diet_abs_.*", "diet-abs comes later"},
      {"linformer|diet_abs_lin", "compressed keys and values come later"},
      {"segment_at_input", "segment embeddings come with the BERT encoder"},
      {"rope_.*|xpos_.*", "rotary encodings come later"},
      {"alibi_.*|kerple_.*|fire_.*|deberta|transformer_xl_.*|cope_.*",
       "encodings outside the first papers come later"},
  };
}

class UncoveredFixture : public testing::TestWithParam<std::string> {};

TEST_P(UncoveredFixture, IsNamedWithItsReason) {
  for (const Uncovered& row : uncovered())
    if (std::regex_match(GetParam(), std::regex(row.names)))
      GTEST_SKIP() << GetParam() << ": " << row.reason;
  ADD_FAILURE() << GetParam() << " of " << fixtures_path() << " is neither run nor excused";
}

std::vector<std::string> uncovered_names() {
  std::vector<std::string> names;
  if (fixtures().is_null()) return names;
  for (const auto& [name, content] : fixtures().at("cases").items()) {
    const std::vector<Case> all = cases();
    if (std::none_of(all.begin(), all.end(), [&](const Case& c) { return c.name == name; }))
      names.push_back(name);
  }
  return names;
}

std::string uncovered_name(const testing::TestParamInfo<std::string>& tested) {
  return tested.param;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UncoveredFixture);
INSTANTIATE_TEST_SUITE_P(Cases, UncoveredFixture, testing::ValuesIn(uncovered_names()),
                         uncovered_name);

// ---- tables

class FixtureTables : public testing::Test {
 protected:
  void SetUp() override {
    if (fixtures().is_null()) GTEST_SKIP() << "no file " << fixtures_path();
  }
};

TEST_F(FixtureTables, Sinusoids) {
  const std::pair<const char*, SinusoidLayout> tables[] = {
      {"sinusoid_interleaved_pos0to4_d8", SinusoidLayout::kInterleaved},
      {"sinusoid_halves_pos0to4_d8", SinusoidLayout::kHalves}};
  for (const auto& [name, layout] : tables) {
    const at::Tensor expected = tensor_of(fixtures().at("tables").at(name));
    const EncodingContext context{.model_width = expected.size(1)};
    const at::Tensor table =
        Sinusoidal(layout, context).embed(at::zeros_like(expected), at::arange(expected.size(0)));
    EXPECT_LE(largest_gap(table, expected), 1e-12) << name;
  }
}

TEST_F(FixtureTables, BucketsOfEveryOffset) {
  const std::pair<const char*, bool> tables[] = {{"t5_bucket_bidirectional_32_128", false},
                                                 {"t5_bucket_causal_32_128", true}};
  for (const auto& [name, one_directional] : tables) {
    const json& table = fixtures().at("tables").at(name);
    int64_t offset = table.at("first_offset").get<int64_t>();
    for (const json& bucket : table.at("buckets")) {
      EXPECT_EQ(t5_bucket(offset, one_directional, 32, 128), bucket.get<int64_t>()) << offset;
      ++offset;
    }
  }
}

}  // namespace
}  // namespace dietmt::encoders
