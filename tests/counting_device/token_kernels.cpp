// Embeddings, rotary positions and the loss.
#include <algorithm>
#include <cmath>

#include "tests/counting_device/elements.h"
#include "tests/counting_device/fused_kernels.h"
#include "tests/counting_device/launch_log.h"

namespace dietmt::counting {

void embed(const kernels::DeviceEmbed& call) {
  const DeviceWork work;
  log_launches("embed");
  const Elements table = floats(call.table, "table");
  const Elements positions_table = floats(call.position_table, "position_table");
  const int64_t* const ids = mirror_array(call.ids, "ids");
  const int64_t* const positions = mirror_array(call.positions, "positions");
  const Elements output(call.output, call.type, "output");
  const DropoutFactors factors(call.dropout);
  if (!computes()) return output.set_zero(call.rows * call.width);
  for (int64_t row = 0; row < call.rows; ++row) {
    for (int64_t c = 0; c < call.width; ++c) {
      const int64_t i = row * call.width + c;
      double x = call.scale * table[ids[row] * call.width + c];
      if (!positions_table.is_null()) x += positions_table[positions[row] * call.width + c];
      output.set(i, static_cast<float>(x * factors[i]));
    }
  }
}

void embed_backward(const kernels::DeviceEmbedBackward& call) {
  const DeviceWork work;
  log_launches("embed_backward", 2);  // for chunks; for runs that cross them
  const Elements grad(call.grad_output, call.type, "grad_output");
  const Elements grad_table = floats(call.grad_table, "grad_table");
  const int64_t* const ids = mirror_array(call.ids, "ids");
  const int64_t* const order = mirror_array(call.order, "order");
  const DropoutFactors factors(call.dropout);
  for (int64_t place = 0; computes() && place < call.rows; ++place) {
    const int64_t row = order[place];
    for (int64_t c = 0; c < call.width; ++c) {
      const int64_t from = row * call.width + c, to = ids[row] * call.width + c;
      const double gradient = call.scale * grad[from] * factors[from];
      grad_table.set(to, static_cast<float>(grad_table[to] + gradient));
    }
  }
}

void cross_entropy(const kernels::DeviceCrossEntropy& call) {
  const DeviceWork work;
  log_launches("cross_entropy");
  const Elements logits(call.logits, call.type, "logits"), bias = floats(call.bias, "bias");
  const int64_t* const targets = mirror_array(call.targets, "targets");
  const Elements weights = floats(call.weights, "weights");
  const Elements losses = floats(call.losses, "losses");
  const int64_t classes = call.classes;
  if (!computes()) {
    losses.set_zero(2 * call.rows);
    if (call.gradient) logits.set_zero(call.rows * classes);
    return;
  }
  const double smoothing = call.smoothing, share = smoothing / static_cast<double>(classes);
  for (int64_t row = 0; row < call.rows; ++row) {
    if (targets[row] < 0) {
      losses.set(2 * row, 0.0f);
      losses.set(2 * row + 1, 0.0f);
      for (int64_t c = 0; call.gradient && c < classes; ++c) logits.set(row * classes + c, 0.0f);
      continue;
    }
    const auto logit = [&](int64_t c) {
      return static_cast<double>(logits[row * classes + c]) + (bias.is_null() ? 0.0 : bias[c]);
    };
    double largest = logit(0), sum = 0.0, total = 0.0;
    for (int64_t c = 0; c < classes; ++c) {
      largest = std::max(largest, logit(c));
      total += logit(c);
    }
    for (int64_t c = 0; c < classes; ++c) sum += std::exp(logit(c) - largest);
    const double normalizer = largest + std::log(sum);
    const double of_target = normalizer - logit(targets[row]);
    const double of_all = static_cast<double>(classes) * normalizer - total;
    const double weight = weights.is_null() ? 1.0 : weights[row];
    const double smoothed = (1.0 - smoothing) * of_target + share * of_all;
    losses.set(2 * row, static_cast<float>(weight * smoothed));
    losses.set(2 * row + 1, static_cast<float>(weight * of_target));
    if (!call.gradient) continue;
    for (int64_t c = 0; c < classes; ++c) {
      const double wanted = share + (c == targets[row] ? 1.0 - smoothing : 0.0);
      const double gradient = weight * (std::exp(logit(c) - normalizer) - wanted);
      logits.set(row * classes + c, static_cast<float>(gradient));
    }
  }
}

void rotate(const kernels::Rotate& call) {
  const DeviceWork work;
  log_launches("rotate");
  const Elements x(call.x, call.type, "x"), output(call.output, call.type, "output");
  const Elements table = floats(call.table, "table");
  const int64_t* const positions = mirror_array(call.positions, "positions");
  const int64_t half = call.head_width / 2;
  if (!computes()) return output.set_zero(call.rows * call.heads * call.head_width);
  for (int64_t row = 0; row < call.rows; ++row) {
    const int64_t position = positions == nullptr ? 0 : positions[row];
    for (int64_t h = 0; h < call.heads; ++h) {
      const int64_t table_head = call.table_heads == 1 ? 0 : h;
      const int64_t cosines = (2 * position * call.table_heads + table_head) * half;
      const int64_t sines = ((2 * position + 1) * call.table_heads + table_head) * half;
      const bool halved = (call.halved_heads >> h & 1) != 0;
      const int64_t from = row * call.row_stride + h * call.head_width;
      const int64_t to = (row * call.heads + h) * call.head_width;
      for (int64_t m = 0; m < half; ++m) {
        const int64_t first = halved ? m : 2 * m, second = halved ? m + half : 2 * m + 1;
        const double a = x[from + first], b = x[from + second], c = table[cosines + m];
        const double s = call.back ? -table[sines + m] : table[sines + m];
        output.set(to + first, static_cast<float>(a * c - b * s));
        output.set(to + second, static_cast<float>(b * c + a * s));
      }
    }
  }
}

}  // namespace dietmt::counting
