#include "fixture_cases.h"

#include <ATen/ATen.h>

#include <initializer_list>

namespace dietmt::encoders {
namespace {

using at::Tensor;

Tensor same(const Tensor& x) { return x; }
Tensor one_layer(const Tensor& x) { return x.unsqueeze(0); }  // [H, ..]
Tensor one_table(const Tensor& x) { return x.unsqueeze(0).unsqueeze(0); }
Tensor all_heads(const Tensor& x) { return x.unsqueeze(1); }               // [L, ..]
Tensor only_layer(const Tensor& x) { return x.squeeze(0); }                // for two-layer cases
Tensor transposed(const Tensor& x) { return x.t(); }                       // [buckets, H]
Tensor buckets_first(const Tensor& x) { return x.t().unsqueeze(0); }       // [buckets, H]
Tensor reversed(const Tensor& x) { return x.flip(-1).unsqueeze(0); }       // by i - j
Tensor reversed_layers(const Tensor& x) { return x.flip(-1); }             // by i - j
Tensor reversed_vectors(const Tensor& x) { return one_table(x.flip(0)); }  // by i - j

using Transform = std::function<Tensor(const Tensor&)>;

/// [H, T + S - 1] by i - j; our table has the same number of offsets on both sides.
Transform reversed_cross(const FixtureSizes& sizes) {
  const int64_t back = sizes.cross_positions() - sizes.cross_queries;
  const int64_t ahead = sizes.cross_positions() - sizes.keys;
  return [=](const Tensor& x) {
    return at::constant_pad_nd(x.flip(-1), {back, ahead}).unsqueeze(0);
  };
}

/// [H, T, R] or [H, S, R]; our tables have the larger number of positions.
Transform padded_cross(const FixtureSizes& sizes) {
  const int64_t positions = sizes.cross_positions();
  return [=](const Tensor& x) {
    return at::constant_pad_nd(x, {0, 0, 0, positions - x.size(1)}).unsqueeze(0);
  };
}

/// The spec with the number in place of `#`.
std::string sized(const std::string& spec, int64_t number) {
  std::string text = spec;
  text.replace(text.find('#'), 1, std::to_string(number));
  return text;
}

std::vector<Loaded> operator+(std::vector<Loaded> a, const std::vector<Loaded>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Loaded kLearned = {"P", "learned.table", same};
const Loaded kFrequencies = {"omega", "learnable_sinusoidal.frequencies", same};
const Loaded kShawKeys = {"aK", "shaw.keys", one_table};
const Loaded kShawValues = {"aV", "shaw.values", one_table};
const Loaded kShawTied = {"a", "shaw.keys", one_table};
const Loaded kRelativeFrequencies = {"omega_rel", "relative_sinusoidal.frequencies", same};
const Loaded kT5 = {"b", "t5.table", buckets_first};
const Loaded kScalars = {"b", "diet_rel.table", one_layer};
const Loaded kDiet = {"R", "diet_rel.table", reversed};
const Loaded kDietQueries = {"PQ", "diet_abs.queries", one_layer};
const Loaded kDietKeys = {"PK", "diet_abs.keys", one_layer};
const Loaded kSegments = {"ES", "segments.table", one_layer};
const std::string kT5Spec = "t5(buckets=8,distance=6,share=none";

std::vector<FixtureCase> input_cases() {
  return {
      {"none", "none", {}},
      {"none_causal", "none", {}},
      {"none_cross", "none", {}},
      {"ape_sinusoidal", "sinusoidal", {}},
      {"ape_sinusoidal_halves", "sinusoidal(layout=halves)", {}},
      {"ape_learned", "learned", {kLearned}},
      {"ape_learned_causal", "learned", {kLearned}},
      {"ape_learnable_sinusoid", "learnable-sinusoidal", {kFrequencies}},
      {"segment_at_input",
       "learned+input-segments",
       {kLearned, {"S", "input_segments.table", same}}},
  };
}

std::vector<FixtureCase> scalar_cases(const FixtureSizes& sizes) {
  return {
      {"t5_bucket_bidirectional", kT5Spec + ")", {kT5}},
      {"t5_bucket_causal", kT5Spec + ")", {kT5}},
      {"t5_bucket_unscaled", kT5Spec + ",scaled=false)", {kT5}},
      {"relative_scalar_unbucketed", "diet-rel", {kScalars}},
      {"bert_r",
       "bert-r",
       {{"P", "bert_r.learned.table", same}, {"b", "bert_r.offsets.table", one_layer}}},
      {"diet_rel", "diet-rel", {kDiet}},
      {"diet_rel_head_shared", "diet-rel(share=heads)", {kDiet}},
      {"diet_rel_causal", "diet-rel", {kDiet}},
      {"diet_rel_cross", "diet-rel", {{"R", "diet_rel.table", reversed_cross(sizes)}}},
      {"diet_rel_segment_per_head", "diet-rel+segments", {kDiet, kSegments}},
      {"stack2_diet_rel_none", "diet-rel", {{"R", "diet_rel.table", reversed_layers}}},
      {"stack2_diet_rel_head_wise",
       "diet-rel(share=heads)",
       {{"R", "diet_rel.table", reversed_layers}}},
      {"stack2_diet_rel_layer_wise",
       "diet-rel(share=layers)",
       {{"R", "diet_rel.table", reversed_layers}}},
      {"alibi_symmetric", "alibi", {}},
      {"kerple_log_causal",
       "kerple",
       {{"r1", "kerple.height", one_layer}, {"r2", "kerple.width", one_layer}}},
      {"fire_causal",
       "fire(hidden=4,threshold=1)",  // makes the factor L
       {{"c", "fire.log_scale", same},
        {"L", "fire.threshold_factor", same},
        {"W1", "fire.hidden_weight", one_layer},
        {"b1", "fire.hidden_bias", one_layer},
        {"W2", "fire.head_weight", one_layer},
        {"b2", "fire.head_bias", one_layer}}},
  };
}

std::vector<FixtureCase> relative_cases(const FixtureSizes& sizes) {
  const auto clipped = [&](const std::string& spec) { return sized(spec, sizes.clip); };
  std::vector<FixtureCase> cases = {
      {"shaw_key", clipped("shaw(clip=#,values=false)"), {kShawKeys}},
      {"shaw_key_value", clipped("shaw(clip=#)"), {kShawKeys, kShawValues}},
      {"shaw_key_value_causal", clipped("shaw(clip=#)"), {kShawKeys, kShawValues}},
      {"shaw_key_value_tied", clipped("shaw(clip=#,tied=true)"), {kShawTied}},
      {"shaw_key_per_head",
       clipped("shaw(clip=#,values=false,share=none)"),
       {{"aK", "shaw.keys", one_layer}}},
      {"rpe_fixed_sinusoid", clipped("relative-sinusoidal(clip=#)"), {}},
      {"rpe_fixed_sinusoid_shifted", clipped("relative-sinusoidal(clip=#,origin=left)"), {}},
      {"rpe_learnable_sinusoid",
       clipped("relative-sinusoidal(clip=#,learned=true)"),
       {kRelativeFrequencies}},
      {"relative_key_query",
       "relative-key-query",
       {{"Drel", "relative_key_query.table", reversed_vectors}}},
      {"deberta",
       "deberta(span=3)",
       {{"Prel", "deberta.table", same},
        {"WKr", "deberta.key_projection", one_layer},
        {"WQr", "deberta.query_projection", one_layer}}},
      {"transformer_xl_causal",
       "transformer-xl",
       {{"WR", "transformer_xl.projection", one_layer},
        {"u", "transformer_xl.content_bias", same},
        {"vb", "transformer_xl.position_bias", same}}},
  };
  // The six combinations of absolute and relative encodings of Wang et al. 2021.
  const FixtureCase absolute[] = {{"learned", "learned", {kLearned}},
                                  {"learnable_sinusoid", "learnable-sinusoidal", {kFrequencies}}};
  const FixtureCase relative[] = {{"learned", clipped("shaw(clip=#,tied=true)"), {kShawTied}},
                                  {"fixed_sinusoid", clipped("relative-sinusoidal(clip=#)"), {}},
                                  {"learnable_sinusoid",
                                   clipped("relative-sinusoidal(clip=#,learned=true)"),
                                   {kRelativeFrequencies}}};
  for (const FixtureCase& a : absolute)
    for (const FixtureCase& r : relative)
      cases.push_back(
          {"combo_ape_" + a.name + "_rpe_" + r.name, a.spec + "+" + r.spec, a.loaded + r.loaded});
  return cases;
}

std::vector<FixtureCase> tupe_cases() {
  const auto parameters = [](auto transform) {
    return std::vector<Loaded>{{"p", "tupe_a.positions", transform},
                               {"ln_gamma", "tupe_a.norm_weight", transform},
                               {"ln_beta", "tupe_a.norm_bias", transform},
                               {"UQ", "tupe_a.query_projection", transform},
                               {"UK", "tupe_a.key_projection", transform}};
  };
  const auto relative = [&] {  // for tupe-r
    std::vector<Loaded> loaded = parameters(same);
    for (Loaded& item : loaded) item.to.replace(0, 6, "tupe_r");
    return loaded + std::vector<Loaded>{{"p_theta", "tupe_r.summary", same}};
  };
  const std::vector<Loaded> thetas = {{"p_theta", "tupe_a.summary", same}};
  const std::vector<Loaded> biases = {{"UQ_bias", "tupe_a.query_bias", same},
                                      {"UK_bias", "tupe_a.key_bias", same}};
  return {
      {"tupe_a", "tupe-a(cls=untied)", parameters(same) + thetas},
      {"tupe_a_projection_bias", "tupe-a(cls=untied,projection-bias=true)",
       parameters(same) + thetas + biases},
      {"tupe_a_tie_cls", "tupe-a(cls=tied)", parameters(same)},
      {"stack2_tupe_a", "tupe-a(cls=untied)",
       parameters(only_layer) + std::vector<Loaded>{{"p_theta", "tupe_a.summary", only_layer}}},
      {"tupe_r", "tupe-r(cls=untied,buckets=none)",
       relative() + std::vector<Loaded>{{"b", "tupe_r.relative", same}}},
      {"tupe_r_bucketed", "tupe-r(cls=untied,buckets=8,distance=6)",
       relative() + std::vector<Loaded>{{"rb", "tupe_r.relative", transposed}}},
      {"bert_a_d",
       "bert-a-d",
       {{"p", "bert_a_d.positions", same},
        {"UQ", "bert_a_d.query_projection", same},
        {"UK", "bert_a_d.key_projection", same}}},
  };
}

std::vector<FixtureCase> absolute_cases(const FixtureSizes& sizes) {
  const auto ranked = [&](const std::string& spec) { return sized(spec, sizes.rank); };
  const std::vector<Loaded> diet = {kDietQueries, kDietKeys};
  const std::vector<Loaded> compression = {{"E", "linformer.key_compression", one_table},
                                           {"F", "linformer.value_compression", one_table}};
  return {
      {"diet_abs", ranked("diet-abs(rank=#)"), diet},
      {"diet_abs_head_shared", ranked("diet-abs(rank=#,share=heads)"), diet},
      {"diet_abs_causal", ranked("diet-abs(rank=#)"), diet},
      {"diet_abs_cross",
       ranked("diet-abs(rank=#)"),
       {{"PQ", "diet_abs.queries", padded_cross(sizes)},
        {"PK", "diet_abs.keys", padded_cross(sizes)}}},
      {"diet_abs_segment_per_head",
       ranked("diet-abs(rank=#)+segments"),
       {kDietQueries, kDietKeys, kSegments}},
      {"stack2_diet_abs_layer_wise",
       ranked("diet-abs(rank=#,share=layers)"),
       {{"PQ", "diet_abs.queries", same}, {"PK", "diet_abs.keys", same}}},
      {"linformer", sized("learned+linformer(length=#)", sizes.compressed),
       std::vector<Loaded>{kLearned} + compression},
      {"diet_abs_lin",
       sized(ranked("diet-abs-lin(rank=#") + ",length=#)", sizes.compressed),
       {{"E", "diet_abs_lin.key_compression", one_table},
        {"F", "diet_abs_lin.value_compression", one_table},
        {"PQ", "diet_abs_lin.queries", one_layer},
        {"PK", "diet_abs_lin.keys", one_layer}}},
      {"rope_interleaved", "rope", {}},
      {"rope_half", "rope(pairs=halves)", {}},
      {"xpos_causal", "xpos", {}},
      {"cope_causal", "cope(positions=4)", {{"e", "cope.table", one_table}}},
  };
}

/// Made by untied_examples.py.
std::vector<FixtureCase> untied_cases(const FixtureSizes& sizes) {
  const auto theta = [](const std::string& encoding, auto transform) {
    return Loaded{"theta", encoding + ".summary", transform};
  };
  const std::string abs = sized("diet-abs(rank=#", sizes.rank);
  const std::vector<Loaded> factors = {{"r", "tupe_r.offsets", same},
                                       {"FQ", "tupe_r.offset_query_projection", same},
                                       {"FK", "tupe_r.offset_key_projection", same},
                                       {"p", "tupe_r.positions", same},
                                       {"ln_gamma", "tupe_r.norm_weight", same},
                                       {"ln_beta", "tupe_r.norm_bias", same},
                                       {"UQ", "tupe_r.query_projection", same},
                                       {"UK", "tupe_r.key_projection", same}};
  return {
      {"diet_rel_untied", "diet-rel(cls=untied)", {kScalars, theta("diet_rel", one_layer)}},
      {"t5_bucket_untied", kT5Spec + ",cls=untied)", {kT5, theta("t5", one_layer)}},
      {"bert_r_untied",
       "bert-r(cls=untied)",
       {{"P", "bert_r.learned.table", same},
        {"b", "bert_r.offsets.table", one_layer},
        theta("bert_r", one_layer)}},
      {"alibi_untied", "alibi(cls=untied)", {theta("alibi", one_layer)}},
      {"kerple_untied",
       "kerple(cls=untied)",
       {{"r1", "kerple.height", one_layer},
        {"r2", "kerple.width", one_layer},
        theta("kerple", one_layer)}},
      {"diet_abs_untied",
       abs + ",cls=untied)",
       {kDietQueries, kDietKeys, theta("diet_abs", one_layer)}},
      {"tupe_free", "tupe-free", {{"v", "tupe_free.table", same}}},
      {"tupe_free_untied",
       "tupe-free(cls=untied)",
       {{"v", "tupe_free.table", same}, theta("tupe_free", one_layer)}},
      {"tupe_r_factors", "tupe-r(cls=untied,buckets=none,factors=true)",
       factors + std::vector<Loaded>{{"p_theta", "tupe_r.summary", same}}},
      {"tupe_r_factors_tie_cls", "tupe-r(cls=tied,buckets=none,factors=true)", factors},
      {"shaw_untied",
       "shaw(clip=2,cls=untied)",
       {kShawKeys, kShawValues, theta("shaw", one_layer)}},
      {"relative_key_query_untied",
       "relative-key-query(cls=untied)",
       {{"D", "relative_key_query.table", one_table}, theta("relative_key_query", one_layer)}},
      {"deberta_untied",
       "deberta(span=3,cls=untied)",
       {{"Prel", "deberta.table", same},
        {"WKr", "deberta.key_projection", one_layer},
        {"WQr", "deberta.query_projection", one_layer},
        theta("deberta", one_layer)}},
      {"transformer_xl_untied",
       "transformer-xl(cls=untied)",
       {{"WR", "transformer_xl.projection", one_layer},
        {"u", "transformer_xl.content_bias", same},
        {"vb", "transformer_xl.position_bias", same},
        theta("transformer_xl", one_layer)}},
      {"stack2_shaw_untied",
       "shaw(clip=2,cls=untied)",
       {{"aK", "shaw.keys", all_heads}, {"aV", "shaw.values", all_heads}, theta("shaw", same)}},
      {"stack2_diet_rel_untied",
       "diet-rel(cls=untied)",
       {{"b", "diet_rel.table", same}, theta("diet_rel", same)}},
      {"stack2_diet_abs_untied_layer_wise",
       abs + ",share=layers,cls=untied)",
       {{"PQ", "diet_abs.queries", same}, {"PK", "diet_abs.keys", same}, theta("diet_abs", same)}},
  };
}

}  // namespace

std::vector<FixtureCase> fixture_cases(const FixtureSizes& sizes) {
  std::vector<FixtureCase> cases = input_cases();
  for (const auto& more : {scalar_cases(sizes), relative_cases(sizes), tupe_cases(),
                           absolute_cases(sizes), untied_cases(sizes)})
    cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

}  // namespace dietmt::encoders
