// The code of docs/adding_a_position_encoding.md, compiled and run; the document quotes the parts
// between the markers word for word.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <fstream>
#include <iterator>
#include <string>

#include "encoders/attention/attention.h"

// [class]
#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

struct LogDecayOptions {
  Sharing sharing = Sharing::kLayers;
};

/// q_i . k_j / sqrt(Dh) - s[h] ln(1 + |i - j|): a learned strength of a fixed decay.
class LogDecay : public PositionEncoding {
 public:
  LogDecay(const LogDecayOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor strength_;  // s: [L|1, H|1], initially 1
};
// [end]

// [terms]
LogDecay::LogDecay(const LogDecayOptions& options, const EncodingContext& context) {
  strength_ = register_parameter("strength", empty_table(options.sharing, context, {}).fill_(1.0));
}

void LogDecay::lower(const Extent& extent, LayerTerms& terms) const {
  const int64_t clip = reach(extent);  // no offset of this call is clipped
  const at::Tensor distances = at::arange(-clip, clip + 1, terms.options()).abs();
  terms.set(&ScoreTerms::offset_bias, -strength_.unsqueeze(-1) * at::log1p(distances));
}
// [end]

// [row]
LogDecayOptions log_decay_options(const OptionValues& values) {
  return {.sharing = sharing_of(values)};
}

double log_decay_parameters(const OptionValues& values, const EncodingContext& context) {
  return table_size(log_decay_options(values).sharing, context, {});
}

}  // namespace

EncodingRow log_decay_row() {
  return {.name = "log-decay",
          .formula = "q_i.k_j/sqrt(Dh) - s[h] ln(1+|i-j|)",
          .options = {share_option(LogDecayOptions().sharing)},
          .parameters = log_decay_parameters,
          .make = make_encoding<LogDecay, log_decay_options>};
}

}  // namespace dietmt::encoders
// [end]

#include "tests/encoders/position/encoding_run.h"

namespace dietmt::encoders {
namespace {

std::shared_ptr<PositionEncoding> log_decay(const std::string& share, AttentionSite site) {
  const EncodingRow row = log_decay_row();
  OptionValues values(row.options);
  values.set("share", share);
  return row.make(values, context(site));
}

/// The terms of the second layer.
ScoreTerms terms_of(const PositionEncoding& encoding, const Extent& extent) {
  LayerTerms terms(kRunLayers, 0.5, at::kDouble);
  encoding.lower(extent, terms);
  return terms.layers()[1];
}

TEST(WorkedExample, HasItsParameters) {
  EXPECT_EQ(log_decay("layers", AttentionSite::kEncoder)->parameters().front().numel(), kRunHeads);
  EXPECT_EQ(log_decay("none", AttentionSite::kEncoder)->parameters().front().numel(),
            kRunLayers * kRunHeads);
  const EncodingRow row = log_decay_row();
  EXPECT_EQ(row.parameters(OptionValues(row.options), context(AttentionSite::kEncoder)), kRunHeads);
}

/// Compares every backend with the formula, with strengths other than the initial ones.
TEST(WorkedExample, FollowsItsFormulaInEveryBackend) {
  const auto encoding = log_decay("layers", AttentionSite::kEncoder);
  encoding->to(at::kDouble);
  const at::Tensor strength = encoding->parameters().front();
  {
    const torch::NoGradGuard no_grad;
    strength.copy_(at::arange(1, kRunHeads + 1).to(at::kDouble).mul(0.3).view({1, kRunHeads}));
  }
  constexpr int64_t kLength = 9;
  const Packing packing({kLength});
  const Inputs inputs = make_inputs(kLength, kLength);
  const ScoreTerms terms = terms_of(*encoding, {kLength, kLength});

  const at::Tensor i = at::arange(kLength, at::kDouble);
  const at::Tensor distances = (i.unsqueeze(1) - i.unsqueeze(0)).abs();  // [T, S]
  const at::Tensor scores = at::einsum("ihd,jhd->hij", {inputs.q, inputs.k}) * 0.5 -
                            strength.view({kRunHeads, 1, 1}) * at::log1p(distances);
  const at::Tensor wanted = at::einsum("hij,jhd->ihd", {at::softmax(scores, -1), inputs.v});
  const at::Tensor wanted_gradient = torch::autograd::grad({loss(wanted)}, {strength})[0];

  for (const auto& [backend, type, tolerance] :
       {std::tuple{Backend::kReference, at::kDouble, 1e-11},
        {Backend::kSdpa, at::kDouble, 1e-11},
        {Backend::kCpu, at::kFloat, 1e-5}}) {
    ScoreTerms own = terms_of(*encoding, {kLength, kLength});
    own.offset_bias = own.offset_bias.to(type);
    const at::Tensor output = attend({.queries = inputs.q.to(type),
                                      .keys = inputs.k.to(type),
                                      .values = inputs.v.to(type),
                                      .query_packing = packing,
                                      .key_packing = packing,
                                      .terms = own},
                                     backend);
    EXPECT_LE(largest_gap(output, wanted), tolerance);
    const at::Tensor gradient =
        torch::autograd::grad({loss(output.to(at::kDouble))}, {strength})[0];
    EXPECT_LE(largest_gap(gradient, wanted_gradient), tolerance);
  }
}

/// The text between "// [name]" and "// [end]" of this file.
std::string quoted(const std::string& source, const std::string& name) {
  const size_t start = source.find('\n', source.find("// [" + name + "]\n")) + 1;
  return source.substr(start, source.find("// [end]", start) - start);
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(WorkedExample, TheDocumentQuotesThisCode) {
  const std::string source =
      text_of(std::string(DIETMT_SOURCE_DIR) + "/tests/encoders/position/worked_example_test.cpp");
  const std::string document =
      text_of(std::string(DIETMT_SOURCE_DIR) + "/docs/adding_a_position_encoding.md");
  for (const std::string name : {"class", "terms", "row"}) {
    const std::string code = quoted(source, name);
    EXPECT_GT(code.size(), 100u) << name;
    EXPECT_NE(document.find("```cpp\n" + code + "```"), std::string::npos)
        << "docs/adding_a_position_encoding.md does not quote [" << name << "]:\n"
        << code;
  }
}

}  // namespace
}  // namespace dietmt::encoders
