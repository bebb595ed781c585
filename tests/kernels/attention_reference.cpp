#include "tests/kernels/attention_reference.h"

#include <algorithm>
#include <cmath>

#include "kernels/dropout.h"

namespace dietmt::kernels {
namespace {

using Vector = std::vector<double>;

size_t at(int64_t index) { return static_cast<size_t>(index); }

// A table of one head and the sums of its gradient.
struct Table {
  const float* data = nullptr;
  double* grad = nullptr;
};

class Reference {
 public:
  Reference(const AttentionCase& attention, ElementType precision)
      : attention_(attention),
        call_(attention.backward().forward),
        backward_(attention.backward()),
        sizes_(call_.sizes),
        precision_(precision),
        queries_(attention.read_rows(call_.queries, attention.query_tokens())),
        keys_(attention.read_rows(call_.keys, attention.key_tokens())),
        values_(attention.read_rows(call_.values, attention.key_tokens())),
        grad_output_(attention.read_rows(backward_.grad_output, attention.query_tokens())) {
    results_ = attention.results();
    for (NamedValues& result : results_) std::fill(result.values.begin(), result.values.end(), 0.0);
    output_ = result("output");
    log_normalizers_ = result("log_normalizer");
    grad_queries_ = result("grad_queries");
    grad_keys_ = result("grad_keys");
    grad_values_ = result("grad_values");
  }

  std::vector<NamedValues> run() {
    for (int64_t b = 0; b < sizes_.sentences; ++b) {
      for (int64_t h = 0; h < sizes_.heads; ++h) run_head(b, h);
    }
    for (NamedValues& result : results_) {
      if (result.name.starts_with("grad_")) {
        for (double& value : result.values) value = rounded(value);
      }
    }
    return results_;
  }

 private:
  double rounded(double value) const { return round_to_type(precision_, value); }

  double* result(const std::string& name) {
    for (NamedValues& values : results_) {
      if (values.name == name) return values.values.data();
    }
    return nullptr;
  }

  Table table(const std::string& name, HeadTable AttentionTables::*member, int64_t head) {
    const HeadTable& source = call_.terms.tables.*member;
    if (source.data == nullptr) return {};
    return {source.data + head * source.head_stride,
            result("grad_" + name) + head * source.head_stride};
  }

  size_t row(int64_t token, int64_t head) const {
    return at((token * sizes_.heads + head) * sizes_.head_width);
  }

  double dot(const double* x, const double* y) const {
    double sum = 0.0;
    for (int64_t d = 0; d < sizes_.head_width; ++d) sum += x[d] * y[d];
    return rounded(sum);
  }

  double dot(const double* x, const float* y) const {
    double sum = 0.0;
    for (int64_t d = 0; d < sizes_.head_width; ++d) sum += x[d] * rounded(y[d]);
    return rounded(sum);
  }

  static int64_t entry(int64_t i, int64_t j, int64_t clip) {
    return std::clamp(j - i, -clip, clip) + clip;
  }

  struct Head {
    int64_t b, h, query_begin, key_begin, T, S;
    Table position_bias, query_features, key_features, offset_bias, relative_keys, relative_queries,
        relative_values, segment_bias;
  };

  int64_t segment(const Head& head, int64_t i) const {
    return call_.terms.segments[head.query_begin + i];
  }

  double score(const Head& head, int64_t i, int64_t j) const {
    const AttentionTerms& terms = call_.terms;
    const int64_t width = sizes_.head_width;
    const double* q = &queries_[row(head.query_begin + i, head.h)];
    const double* k = &keys_[row(head.key_begin + j, head.h)];
    double sum = dot(q, k);
    if (head.relative_keys.data != nullptr) {
      sum += dot(q, head.relative_keys.data + entry(i, j, terms.key_clip) * width);
    }
    if (head.relative_queries.data != nullptr) {
      sum += dot(k, head.relative_queries.data + entry(i, j, terms.query_clip) * width);
    }
    sum = rounded(rounded(sum) * terms.content_scale[head.h]);
    const auto add = [&](double term) { sum = rounded(sum + rounded(term)); };
    if (head.position_bias.data != nullptr) add(head.position_bias.data[i * sizes_.max_keys + j]);
    if (head.query_features.data != nullptr) {
      double product = 0.0;
      for (int64_t r = 0; r < terms.rank; ++r) {
        product += rounded(head.query_features.data[i * terms.rank + r]) *
                   rounded(head.key_features.data[j * terms.rank + r]);
      }
      add(product);
    }
    if (head.offset_bias.data != nullptr) add(head.offset_bias.data[entry(i, j, terms.bias_clip)]);
    if (head.segment_bias.data != nullptr) {
      add(head.segment_bias.data[segment(head, i) * terms.segment_kinds + segment(head, j)]);
    }
    return sum;
  }

  double dropout_factor(const Head& head, int64_t i, int64_t j) const {
    if (sizes_.dropout == 0.0) return 1.0;
    const int64_t row = (head.b * sizes_.heads + head.h) * sizes_.max_queries + i;
    const uint32_t place = dropout_row_start(sizes_.dropout_key, static_cast<uint32_t>(row)) +
                           static_cast<uint32_t>(j) * kDropoutStep;
    const bool kept = dropout_keeps_at(place, dropout_threshold(sizes_.dropout));
    return kept ? 1.0 / (1.0 - sizes_.dropout) : 0.0;
  }

  void run_head(int64_t b, int64_t h) {
    Head head{b,
              h,
              sizes_.query_offsets[b],
              sizes_.key_offsets[b],
              sizes_.query_offsets[b + 1] - sizes_.query_offsets[b],
              sizes_.key_offsets[b + 1] - sizes_.key_offsets[b],
              table("position_bias", &AttentionTables::position_bias, h),
              table("query_features", &AttentionTables::query_features, h),
              table("key_features", &AttentionTables::key_features, h),
              table("offset_bias", &AttentionTables::offset_bias, h),
              table("relative_keys", &AttentionTables::relative_keys, h),
              table("relative_queries", &AttentionTables::relative_queries, h),
              table("relative_values", &AttentionTables::relative_values, h),
              table("segment_bias", &AttentionTables::segment_bias, h)};
    for (int64_t i = 0; i < head.T; ++i) run_query(head, i);
  }

  void run_query(const Head& head, int64_t i) {
    const int64_t seen = sizes_.causal ? std::min(head.S, i + 1) : head.S;
    const int64_t token = head.query_begin + i;
    double& log_normalizer = log_normalizers_[head.h * attention_.query_tokens() + token];
    log_normalizer = INFINITY;  // for a query without keys, as the kernels define it
    if (seen == 0) return;
    Vector probabilities(at(seen));
    double maximum = -INFINITY;
    for (int64_t j = 0; j < seen; ++j) {
      probabilities[at(j)] = score(head, i, j);
      maximum = std::max(maximum, probabilities[at(j)]);
    }
    double total = 0.0;
    for (double& p : probabilities) total += (p = std::exp(p - maximum));
    for (double& p : probabilities) p = rounded(p / total);
    log_normalizer = maximum + std::log(total);
    add_output(head, i, probabilities);
    differentiate(head, i, probabilities);
  }

  void add_output(const Head& head, int64_t i, const Vector& probabilities) {
    const int64_t width = sizes_.head_width;
    double* output = output_ + row(head.query_begin + i, head.h);
    for (int64_t d = 0; d < width; ++d) {
      double content = 0.0;
      double relative = 0.0;
      for (size_t j = 0; j < probabilities.size(); ++j) {
        const auto key = static_cast<int64_t>(j);
        const double p = rounded(probabilities[j] * dropout_factor(head, i, key));
        content += p * values_[row(head.key_begin + key, head.h) + at(d)];
        if (head.relative_values.data == nullptr) continue;
        const int64_t o = entry(i, key, call_.terms.value_clip);
        relative += p * rounded(head.relative_values.data[o * width + d]);
      }
      output[d] = rounded(rounded(content) + rounded(relative));
    }
  }

  void differentiate(const Head& head, int64_t i, const Vector& probabilities) {
    const int64_t width = sizes_.head_width;
    const size_t query = row(head.query_begin + i, head.h);
    const double* grad_output = &grad_output_[query];
    Vector grad(probabilities.size());
    double delta = 0.0;
    for (size_t j = 0; j < grad.size(); ++j) {
      const auto key = static_cast<int64_t>(j);
      const double factor = dropout_factor(head, i, key);
      const size_t key_row = row(head.key_begin + key, head.h);
      const double dropped = rounded(probabilities[j] * factor);
      grad[j] = dot(grad_output, &values_[key_row]);
      for (int64_t d = 0; d < width; ++d) {
        grad_values_[key_row + at(d)] += dropped * grad_output[d];
      }
      if (head.relative_values.data != nullptr) {
        const int64_t o = entry(i, key, call_.terms.value_clip) * width;
        grad[j] += dot(grad_output, head.relative_values.data + o);
        for (int64_t d = 0; d < width; ++d) {
          head.relative_values.grad[o + d] += dropped * grad_output[d];
        }
      }
      grad[j] = rounded(rounded(grad[j]) * factor);
      delta += probabilities[j] * grad[j];
    }
    for (size_t j = 0; j < grad.size(); ++j) {
      add_score_gradient(head, i, static_cast<int64_t>(j),
                         rounded(probabilities[j] * (grad[j] - delta)));
    }
  }

  void add_score_gradient(const Head& head, int64_t i, int64_t j, double grad) {
    const AttentionTerms& terms = call_.terms;
    const int64_t width = sizes_.head_width;
    const double scaled = grad * terms.content_scale[head.h];
    const size_t q = row(head.query_begin + i, head.h);
    const size_t k = row(head.key_begin + j, head.h);
    for (int64_t d = 0; d < width; ++d) {
      double key = keys_[k + at(d)];
      double query = queries_[q + at(d)];
      if (head.relative_keys.data != nullptr) {
        const int64_t o = entry(i, j, terms.key_clip) * width + d;
        key += rounded(head.relative_keys.data[o]);
        head.relative_keys.grad[o] += scaled * query;
      }
      if (head.relative_queries.data != nullptr) {
        const int64_t o = entry(i, j, terms.query_clip) * width + d;
        head.relative_queries.grad[o] += scaled * keys_[k + at(d)];
        query += rounded(head.relative_queries.data[o]);
      }
      grad_queries_[q + at(d)] += scaled * key;
      grad_keys_[k + at(d)] += scaled * query;
    }
    if (head.position_bias.data != nullptr) {
      head.position_bias.grad[i * sizes_.max_keys + j] += grad;
    }
    for (int64_t r = 0; head.query_features.data != nullptr && r < terms.rank; ++r) {
      const int64_t x = i * terms.rank + r;
      const int64_t y = j * terms.rank + r;
      head.query_features.grad[x] += grad * rounded(head.key_features.data[y]);
      head.key_features.grad[y] += grad * rounded(head.query_features.data[x]);
    }
    if (head.offset_bias.data != nullptr) {
      head.offset_bias.grad[entry(i, j, terms.bias_clip)] += grad;
    }
    if (head.segment_bias.data != nullptr) {
      head.segment_bias.grad[segment(head, i) * terms.segment_kinds + segment(head, j)] += grad;
    }
  }

  const AttentionCase& attention_;
  const AttentionForward& call_;
  const AttentionBackward& backward_;
  const AttentionSizes& sizes_;
  ElementType precision_;
  Vector queries_, keys_, values_, grad_output_;
  std::vector<NamedValues> results_;
  double *output_, *log_normalizers_, *grad_queries_, *grad_keys_, *grad_values_;  // in results_
};

}  // namespace

std::vector<NamedValues> attention_reference(const AttentionCase& attention,
                                             ElementType precision) {
  return Reference(attention, precision).run();
}

}  // namespace dietmt::kernels
