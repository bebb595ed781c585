// Attention and token selection of a decoding step.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/counting_device/elements.h"
#include "tests/counting_device/fused_kernels.h"
#include "tests/counting_device/launch_log.h"

namespace dietmt::counting {
namespace {

using kernels::DeviceBeamStep;
using kernels::DeviceStepAttention;
using kernels::HeadRows;
using kernels::HeadTable;

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// The call with its arrays in the mirror.
class StepAttentionLoops {
 public:
  explicit StepAttentionLoops(const DeviceStepAttention& call)
      : call_(call),
        tables_(call.terms.tables),
        queries_(call.queries.data, call.type, "queries"),
        keys_(call.keys.data, call.type, "keys"),
        values_(call.values.data, call.type, "values"),
        new_keys_(call.new_keys.data, call.type, "new_keys"),
        new_values_(call.new_values.data, call.type, "new_values"),
        output_(call.output.data, call.type, "output"),
        slots_(mirror_array(call.slots, "slots")),
        counts_(mirror_array(call.counts, "counts")),
        positions_(mirror_array(call.positions, "positions")) {}

  void run() {
    for (int64_t g = 0; g < call_.groups; ++g) {
      if (!new_keys_.is_null()) keep_new_key(g);
      for (int64_t k = 0; k < call_.rows_per_group; ++k)
        for (int64_t h = 0; h < call_.heads; ++h) attend(g, g * call_.rows_per_group + k, h);
    }
  }

 private:
  int64_t place(const HeadRows& rows, int64_t token, int64_t h) const {
    return token * rows.token_stride + h * call_.head_width;
  }
  int64_t slot(int64_t g, int64_t key) const { return slots_[g * call_.slot_stride + key]; }

  void keep_new_key(int64_t g) {
    const int64_t to = place(call_.keys, slot(g, counts_[g] - 1), 0);
    const int64_t to_value = place(call_.values, slot(g, counts_[g] - 1), 0);
    for (int64_t d = 0; d < call_.heads * call_.head_width; ++d) {
      keys_.set(to + d, new_keys_[place(call_.new_keys, g, 0) + d]);
      values_.set(to_value + d, new_values_[place(call_.new_values, g, 0) + d]);
    }
  }

  static double number(const HeadTable& table, int64_t h, int64_t i) {
    if (table.data == nullptr) return 0.0;
    return mirror_array(table.data, "table of positions")[h * table.head_stride + i];
  }
  // Number d of an offset's row.
  double relative(const HeadTable& table, int64_t clip, int64_t offset, int64_t h,
                  int64_t d) const {
    return number(table, h, (std::clamp(offset, -clip, clip) + clip) * call_.head_width + d);
  }

  double score(int64_t g, int64_t row, int64_t h, int64_t key) const {
    const kernels::AttentionTerms& terms = call_.terms;
    const int64_t i = positions_[g], offset = key - i;
    double sum = 0.0;
    for (int64_t d = 0; d < call_.head_width; ++d) {
      const double q = queries_[place(call_.queries, row, h) + d];
      const double k = keys_[place(call_.keys, slot(g, key), h) + d];
      sum += q * (k + relative(tables_.relative_keys, terms.key_clip, offset, h, d)) +
             k * relative(tables_.relative_queries, terms.query_clip, offset, h, d);
    }
    sum =
        sum * terms.content_scale[h] + number(tables_.position_bias, h, i * call_.bias_keys + key);
    const int64_t clip = terms.bias_clip;
    sum += number(tables_.offset_bias, h, std::clamp(offset, -clip, clip) + clip);
    for (int64_t r = 0; tables_.query_features.data != nullptr && r < terms.rank; ++r)
      sum += number(tables_.query_features, h, i * terms.rank + r) *
             number(tables_.key_features, h, key * terms.rank + r);
    return sum;
  }

  void attend(int64_t g, int64_t row, int64_t h) const {
    std::vector<double> weights;
    for (int64_t key = 0; key < counts_[g]; ++key) weights.push_back(score(g, row, h, key));
    const double largest = *std::max_element(weights.begin(), weights.end());
    double total = 0.0;
    for (double& weight : weights) total += weight = std::exp(weight - largest);
    for (int64_t d = 0; d < call_.head_width; ++d) {
      double sum = 0.0;
      for (int64_t key = 0; key < counts_[g]; ++key)
        sum +=
            weights[static_cast<size_t>(key)] *
            (values_[place(call_.values, slot(g, key), h) + d] +
             relative(tables_.relative_values, call_.terms.value_clip, key - positions_[g], h, d));
      output_.set(place(call_.output, row, h) + d, static_cast<float>(sum / total));
    }
  }

  const DeviceStepAttention& call_;
  const kernels::AttentionTables& tables_;
  Elements queries_, keys_, values_, new_keys_, new_values_, output_;
  const int32_t* slots_;
  const int64_t* counts_;
  const int64_t* positions_;
};

struct Choice {
  double sum = kNothing;
  float log_prob = static_cast<float>(kNothing);
  int64_t row = 0, token = 0;  // of the sentence
};

// The possible continuations of a sentence, best first.
std::vector<Choice> continuations(const DeviceBeamStep& call, const Elements& logits, int64_t b,
                                  const double* sums) {
  const int64_t forced = call.forced == nullptr ? -1 : mirror_array(call.forced, "forced")[b];
  const bool early = call.early != nullptr && mirror_array(call.early, "early")[b] != 0;
  std::vector<Choice> all;
  for (int64_t k = 0; k < call.beam; ++k) {
    const int64_t first = (b * call.beam + k) * call.classes;
    double largest = kNothing, total = 0.0;
    for (int64_t v = 0; v < call.classes; ++v)
      largest = std::max<double>(largest, logits[first + v]);
    for (int64_t v = 0; v < call.classes; ++v) total += std::exp(logits[first + v] - largest);
    for (int64_t v = 0; v < call.classes; ++v) {
      const bool never = v == call.never[0] || v == call.never[1] || (early && v == call.end);
      if (forced >= 0 ? v != forced : never) continue;
      const auto log_prob = static_cast<float>(logits[first + v] - largest - std::log(total));
      const double sum = sums[b * call.beam + k] + log_prob;
      if (sum > kNothing) all.push_back({sum, log_prob, k, v});
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), &Choice::sum);
  return all;
}

}  // namespace

void step_attention(const DeviceStepAttention& call) {
  const DeviceWork work;
  log_launches("step_attention");
  StepAttentionLoops loops(call);
  if (computes()) loops.run();
}

void beam_step(const DeviceBeamStep& call) {
  const DeviceWork work;
  log_launches("beam_step", 2);
  const Elements logits(call.logits, call.type, "logits");
  double* const sums = mirror_array(call.sums, "sums");
  int64_t* const tokens = mirror_array(call.tokens, "tokens");
  int64_t* const parents = mirror_array(call.parents, "parents");
  int32_t* const candidates = mirror_array(call.candidates, "candidates");
  mirror_array(call.row_log_probs, "row_log_probs");
  mirror_array(call.row_tokens, "row_tokens");
  const int64_t count = 2 * call.beam;
  for (int64_t b = 0; b < call.sentences; ++b) {
    std::vector<Choice> all;
    if (computes()) all = continuations(call, logits, b, sums);
    all.resize(static_cast<size_t>(std::max(count, std::ssize(all))));
    int64_t open = b * call.beam;
    const int64_t first = open, end = first + call.beam;
    for (int64_t c = 0; c < count; ++c) {
      const Choice& one = all[static_cast<size_t>(c)];
      int32_t* const candidate = candidates + (b * count + c) * 3;
      candidate[0] = static_cast<int32_t>(one.row);
      candidate[1] = static_cast<int32_t>(one.token);
      candidate[2] = std::bit_cast<int32_t>(one.log_prob);
      if (one.sum == kNothing || one.token == call.end || open == end) continue;
      sums[open] = one.sum;
      tokens[open] = one.token;
      parents[open++] = first + one.row;
    }
    for (; open < end; ++open) {
      sums[open] = kNothing;
      tokens[open] = call.end;
      parents[open] = first;
    }
  }
}

}  // namespace dietmt::counting
