#include "interchange/ctranslate2/ctranslate2_positions.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "encoders/position/term_table.h"

namespace dietmt::interchange {
namespace {

using at::Tensor;
using encoders::ScoreTerms;

constexpr const char* kPossible =
    "what works: none, sinusoidal (all layouts), learned, learnable-sinusoidal, "
    "diet-rel(share=layers), t5, alibi, kerple, shaw, relative-sinusoidal, relative-key, rope";

struct UnknownTerm {
  Tensor ScoreTerms::*field;
  const char* what;
};
constexpr UnknownTerm kUnknownTerms[] = {
    {&ScoreTerms::position_bias, "biases for pairs of positions"},
    {&ScoreTerms::query_features, "factored biases for pairs of positions"},
    {&ScoreTerms::key_features, "factored biases for pairs of positions"},
    {&ScoreTerms::relative_queries, "relative vectors multiplied by the keys"},
    {&ScoreTerms::contextual, "positions that depend on the text"},
    {&ScoreTerms::segment_bias, "segments"},
    {&ScoreTerms::query_shift, "vectors added to the queries"},
    {&ScoreTerms::key_shift, "vectors added to the keys"},
    {&ScoreTerms::key_compression, "compressed keys"},
    {&ScoreTerms::value_compression, "compressed values"}};
constexpr Tensor ScoreTerms::*kExportedTerms[] = {
    &ScoreTerms::offset_bias,   &ScoreTerms::relative_keys, &ScoreTerms::relative_values,
    &ScoreTerms::query_cosines, &ScoreTerms::query_sines,   &ScoreTerms::key_cosines,
    &ScoreTerms::key_sines};
static_assert(std::ranges::all_of(encoders::kTerms,
                                  [](const encoders::Term& term) {
                                    return std::ranges::count(kExportedTerms, term.table) +
                                               std::ranges::count(kUnknownTerms, term.table,
                                                                  &UnknownTerm::field) ==
                                           1;
                                  }),
              "each term is either exported or refused");

bool same(const Tensor& a, const Tensor& b) {
  return a.defined() == b.defined() && (!a.defined() || at::equal(a, b));
}

/// T5's table [buckets, H] with a bucket for each offset of `bias` [H|1, 2C+1]. All logarithmic
/// buckets start beyond C and hold the value for offsets beyond C.
Tensor bucket_table(const Tensor& bias, int64_t heads, bool causal) {
  const int64_t clip = bias.size(1) / 2;
  const Tensor by_offset = bias.expand({heads, bias.size(1)}).t();  // [2C+1, H]
  const auto side = [&](const Tensor& outwards) {                   // [C+1, H] from offset 0 on
    return at::cat({outwards, outwards.slice(0, clip).expand({clip + 1, heads})});
  };
  const Tensor before = side(by_offset.slice(0, 0, clip + 1).flip(0));
  return causal ? before : at::cat({before, side(by_offset.slice(0, clip))});
}

/// base^(-2m/Dh) = w_m, the angles at position 1; 0 if they are not powers of a base or if lengths
/// change.
double rotary_base(const ScoreTerms& terms) {
  const auto row = [](const Tensor& table) { return table.select(0, 0).select(0, 1); };
  const Tensor cosines = row(terms.query_cosines), sines = row(terms.query_sines);
  if (!at::allclose(cosines.square() + sines.square(), at::ones_like(cosines), 0, 1e-9)) return 0;
  const Tensor w = at::atan2(sines, cosines);
  const auto pairs = static_cast<double>(w.size(0));
  if (pairs == 1) return std::abs(w[0].item<double>() - 1.0) < 1e-6 ? 10000.0 : 0;
  const double base = std::pow(w[1].item<double>(), -pairs);
  const Tensor expected = at::pow(base, -at::arange(w.size(0), at::kDouble) / pairs);
  return at::allclose(w, expected, 1e-6, 0) ? base : 0;
}

class Stack {
 public:
  Stack(CTranslate2File& file, const StackPositions& stack) : file_(file), stack_(stack) {}

  std::string add() {
    const int64_t positions = std::min(std::max(stack_.context.max_positions, kExportedPositions),
                                       stack_.scheme.max_length());
    std::string reason = unknown_terms(terms_for(1));
    if (!reason.empty()) return refusal(reason);
    layers_ = terms_for(positions);
    const Tensor input = input_table(positions);
    const bool has_input = input.count_nonzero().item<int64_t>() > 0;
    const int kinds = int{has_input} + int{first().offset_bias.defined()} +
                      int{first().relative_keys.defined()} + int{first().query_cosines.defined()};
    if (kinds > 1) return refusal("several kinds of positions at once");
    add_scales();
    if (first().offset_bias.defined()) reason = add_bias();
    if (first().relative_keys.defined()) reason = add_relative_vectors();
    if (first().query_cosines.defined()) reason = add_rotations();
    if (kinds == 0 || has_input) file_.add(stack_.scope + "/position_encodings/encodings", input);
    return reason.empty() ? "" : refusal(reason);
  }

 private:
  const ScoreTerms& first() const { return layers_.front(); }

  std::string attention(size_t layer) const {
    return stack_.scope + "/layer_" + std::to_string(layer) + "/self_attention/";
  }

  std::string refusal(const std::string& reason) const {
    return "CTranslate2 does not have the " + stack_.scope + "'s position encoding '" +
           stack_.scheme.spec() + "': it has no " + reason + "; " + kPossible;
  }

  std::vector<ScoreTerms> terms_for(int64_t positions) const {
    return stack_.scheme.lower({positions, positions}, at::empty({0}, at::kDouble));
  }

  Tensor input_table(int64_t positions) const {
    return stack_.scheme.embed(at::zeros({positions, stack_.context.model_width}),
                               at::arange(positions));
  }

  static std::string unknown_terms(const std::vector<ScoreTerms>& layers) {
    for (const UnknownTerm& term : kUnknownTerms)
      if ((layers.front().*term.field).defined()) return term.what;
    const auto& scale = layers.front().content_scale;
    const bool one_scale = std::ranges::all_of(
        layers, [&](const ScoreTerms& layer) { return layer.content_scale == scale; });
    if (!one_scale || std::ranges::count(scale, scale.front()) != std::ssize(scale))
      return "scales that differ by head";
    return "";
  }

  void add_scales() {
    const double scale = first().content_scale.front();
    const double usual = 1.0 / std::sqrt(static_cast<double>(stack_.context.head_width));
    if (std::abs(scale - usual) < 1e-9) return;
    for (size_t l = 0; l < layers_.size(); ++l)
      file_.add(attention(l) + "queries_scale", static_cast<float>(scale));
  }

  std::string add_bias() {
    for (const ScoreTerms& layer : layers_)
      if (!same(layer.offset_bias, first().offset_bias))
        return "biases for offsets that differ by layer (share=layers has one table for all)";
    const int64_t clip = first().offset_bias.size(1) / 2;
    const Tensor table = bucket_table(first().offset_bias.detach().to(at::kFloat),
                                      stack_.context.heads, stack_.context.causal());
    for (size_t l = 0; l < layers_.size(); ++l) {
      file_.add(attention(l) + "relative_attention_bias", table);
      file_.add(attention(l) + "relative_attention_max_distance", static_cast<int32_t>(clip + 2));
    }
    return "";
  }

  std::string add_relative_vectors() {
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Tensor& keys = layers_[l].relative_keys;
      const Tensor values =
          layers_[l].relative_values.defined() ? layers_[l].relative_values : at::zeros_like(keys);
      if (keys.size(0) > 1 || values.size(0) > 1)
        return "vectors of offsets that differ by head (share=heads has one table for all)";
      if (keys.size(1) != values.size(1)) return "vectors of keys and values with different clips";
      file_.add(attention(l) + "relative_position_keys", keys.squeeze(0));
      file_.add(attention(l) + "relative_position_values", values.squeeze(0));
    }
    return "";
  }

  std::string add_rotations() {
    const auto& pairing = first().pairing;
    const bool one = first().query_cosines.size(0) == 1 &&
                     std::ranges::count(pairing, pairing.front()) == std::ssize(pairing);
    const double base = one ? rotary_base(first()) : 0;
    if (base == 0)
      return "rotations that change lengths, differ by head or are not powers of a base";
    const bool interleaved = pairing.front() == encoders::RotaryPairing::kInterleaved;
    for (size_t l = 0; l < layers_.size(); ++l) {
      file_.add(attention(l) + "rotary_dim", int32_t{0});
      file_.add(attention(l) + "rotary_interleave", static_cast<int8_t>(interleaved));
      file_.add(attention(l) + "rotary_base", static_cast<float>(base));
    }
    return "";
  }

  CTranslate2File& file_;
  const StackPositions& stack_;
  std::vector<ScoreTerms> layers_;
};

}  // namespace

std::string add_positions(CTranslate2File& file, const StackPositions& stack) {
  const torch::NoGradGuard no_grad;
  return Stack(file, stack).add();
}

}  // namespace dietmt::interchange
