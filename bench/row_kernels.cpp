// Time of each fused kernel of a device and of LibTorch's operations for the same: one JSON line
// each, with the bytes per second that the fused kernel must at least read and write. The sizes are
// those of `base` in a batch of 25,000 tokens; the loss takes its rows in chunks.
//
//   row_kernels [--device cuda] [--type bf16] [--rows 25000] [--width 512] [--classes 32000]
#include <ATen/ATen.h>
#include <torch/types.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/place.h"
#include "encoders/ops/dropout_keys.h"
#include "kernels/device_kernels.h"

namespace {

using namespace dietmt;
using at::Tensor;

struct Options {
  int64_t rows = 25000, width = 512, feed_forward = 2048, head_width = 64;
  int64_t classes = 32000, chunk = 4096;
  bench::Repeats repeats;
  double dropout = 0.1;
  std::string device = "cuda", type = "bf16";
};

/// A kernel and its counterpart.
struct Case {
  std::string name;
  bool there;  // the device's table has it
  int64_t rows, width;
  double bytes;  // that it reads and writes
  std::function<void()> fused, libtorch;
};

class Cases {
 public:
  Cases(const Options& options, const bench::Place& place, const kernels::DeviceKernels& table)
      : o_(options),
        table_(table),
        type_(bench::element_type(options.type)),
        element_(encoders::element_type(type_)),
        numbers_(at::TensorOptions(place.device()).dtype(type_)),
        pass_key_(at::ones({}, numbers_.dtype(at::kLong))),
        dropout_(encoders::dropout_call(options.dropout, pass_key_, 0)) {
    norms();
    activations();
    embeddings();
    loss();
    rotation();
    products();
  }

  const std::vector<Case>& all() const { return cases_; }

 private:
  // The tensors of the cases live as long as this object.
  Tensor keep(Tensor tensor) {
    kept_.push_back(std::move(tensor));
    return kept_.back();
  }
  Tensor random(at::IntArrayRef sizes) { return keep(at::randn(sizes, numbers_)); }
  Tensor fp32(at::IntArrayRef sizes) { return keep(at::randn(sizes, numbers_.dtype(at::kFloat))); }
  Tensor ids(int64_t count, int64_t most) {
    return keep(at::randint(most, {count}, numbers_.dtype(at::kLong)));
  }
  template <typename Call>
  Call call(int64_t rows, int64_t width) const {
    Call made;
    made.type = element_;
    made.rows = rows;
    made.width = width;
    return made;
  }
  template <typename Call>
  Call product(int64_t rows, int64_t inputs, int64_t outputs) const {
    Call made;
    made.type = element_;
    made.rows = rows;
    made.inputs = inputs;
    made.outputs = outputs;
    return made;
  }
  double bytes(int64_t elements) const {
    return static_cast<double>(elements) * static_cast<double>(c10::elementSize(type_));
  }
  double keep_share() const { return 1.0 - o_.dropout; }

  void norms() {
    const int64_t n = o_.rows, d = o_.width;
    const Tensor residual = random({n, d}), branch = random({n, d}), normalized = random({n, d}),
                 output = random({n, d}), other = random({n, d});
    const Tensor bias = fp32({d}), gamma = fp32({d}), beta = fp32({d}), inverse_std = fp32({n}),
                 sums = fp32({3, d});
    auto forward = call<kernels::AddNorm>(n, d);
    forward.dropout = dropout_;
    forward.residual = residual.data_ptr();
    forward.branch = branch.data_ptr();
    forward.branch_bias = bias.data_ptr<float>();
    forward.gamma = gamma.data_ptr<float>();
    forward.beta = beta.data_ptr<float>();
    forward.normalized = normalized.data_ptr();
    forward.inverse_std = inverse_std.data_ptr<float>();
    forward.output = output.data_ptr();
    const Tensor typed_bias = keep(bias.to(type_)), typed_gamma = keep(gamma.to(type_)),
                 typed_beta = keep(beta.to(type_));
    cases_.push_back({"add_norm", table_.add_norm != nullptr, n, d, bytes(4 * n * d),
                      [=, this] { table_.add_norm(forward); },
                      [=, this] {
                        at::layer_norm(
                            residual + at::dropout(branch + typed_bias, o_.dropout, true), {d},
                            typed_gamma, typed_beta);
                      }});

    auto backward = call<kernels::AddNormBackward>(n, d);
    backward.dropout = dropout_;
    backward.grad_output = output.data_ptr();
    backward.normalized = normalized.data_ptr();
    backward.inverse_std = inverse_std.data_ptr<float>();
    backward.gamma = gamma.data_ptr<float>();
    backward.grad_residual = residual.data_ptr();
    backward.grad_branch = branch.data_ptr();
    backward.grad_gamma = sums.data_ptr<float>();
    backward.grad_beta = sums.data_ptr<float>() + d;
    backward.grad_branch_bias = sums.data_ptr<float>() + 2 * d;
    const Tensor mean = keep(inverse_std.unsqueeze(1).clone());
    const Tensor mask = keep(at::rand({n, d}, numbers_).lt(keep_share()));
    cases_.push_back(
        {"add_norm_backward", table_.add_norm_backward != nullptr, n, d, bytes(4 * n * d),
         [=, this] { table_.add_norm_backward(backward); },
         [=, this] {
           const auto gradients = at::native_layer_norm_backward(
               output, normalized, {d}, mean, mean, typed_gamma, typed_beta, {true, true, true});
           const Tensor branch_gradient =
               at::native_dropout_backward(std::get<0>(gradients), mask, 1.0 / keep_share());
           branch_gradient.sum(0);
         }});
    auto columns = call<kernels::DeviceColumnSums>(n, d);
    columns.x = residual.data_ptr();
    columns.row_stride = d;
    columns.sums = sums.data_ptr<float>();
    cases_.push_back({"column_sums", table_.column_sums != nullptr, n, d, bytes(n * d),
                      [=, this] { table_.column_sums(columns); },
                      [=] { residual.sum(0, false, at::kFloat); }});
  }

  void activations() {
    const int64_t n = o_.rows, f = o_.feed_forward;
    const Tensor x = random({n, f}), output = random({n, f}), gradient = random({n, f});
    const Tensor bias = fp32({f}), sums = fp32({f}), typed_bias = keep(bias.to(type_));
    auto forward = call<kernels::Activate>(n, f);
    forward.activation = kernels::Activation::kRelu;
    forward.x = x.data_ptr();
    forward.bias = bias.data_ptr<float>();
    forward.dropout = dropout_;
    forward.output = output.data_ptr();
    cases_.push_back({"relu_dropout", table_.activate != nullptr, n, f, bytes(2 * n * f),
                      [=, this] { table_.activate(forward); },
                      [=, this] { at::dropout(at::relu(x + typed_bias), o_.dropout, true); }});
    kernels::ActivateBackward backward;
    backward.forward = forward;
    backward.grad_output = gradient.data_ptr();
    backward.grad_x = output.data_ptr();
    backward.grad_bias = sums.data_ptr<float>();
    const Tensor mask = keep(at::rand({n, f}, numbers_).lt(keep_share()));
    cases_.push_back({"relu_dropout_backward", table_.activate_backward != nullptr, n, f,
                      bytes(3 * n * f), [=, this] { table_.activate_backward(backward); },
                      [=, this] {
                        const Tensor dropped =
                            at::native_dropout_backward(gradient, mask, 1.0 / keep_share());
                        at::threshold_backward(dropped, x, 0).sum(0);
                      }});
  }

  void embeddings() {
    const int64_t n = o_.rows, d = o_.width, v = o_.classes;
    const Tensor table = fp32({v, d}), positions_table = fp32({512, d}), output = random({n, d}),
                 gradients = fp32({v, d});
    const Tensor tokens = ids(n, v), positions = ids(n, 512);
    const Tensor order = keep(at::argsort(tokens, /*stable=*/true, 0, false));
    auto forward = call<kernels::DeviceEmbed>(n, d);
    forward.table = table.data_ptr<float>();
    forward.ids = tokens.data_ptr<int64_t>();
    forward.position_table = positions_table.data_ptr<float>();
    forward.positions = positions.data_ptr<int64_t>();
    forward.dropout = dropout_;
    forward.output = output.data_ptr();
    const double rows_read = 2.0 * 4.0 * static_cast<double>(n * d);
    cases_.push_back({"embed", table_.embed != nullptr, n, d, rows_read + bytes(n * d),
                      [=, this] { table_.embed(forward); },
                      [=, this] {
                        const Tensor sum = at::embedding(table, tokens) +
                                           at::embedding(positions_table, positions);
                        at::dropout(sum, o_.dropout, true).to(type_);
                      }});
    auto backward = call<kernels::DeviceEmbedBackward>(n, d);
    backward.grad_output = output.data_ptr();
    backward.ids = tokens.data_ptr<int64_t>();
    backward.order = order.data_ptr<int64_t>();
    backward.dropout = dropout_;
    backward.grad_table = gradients.data_ptr<float>();
    cases_.push_back({"embed_backward", table_.embed_backward != nullptr, n, d,
                      rows_read + bytes(n * d), [=, this] { table_.embed_backward(backward); },
                      [=] { at::embedding_dense_backward(output, tokens, v, -1, false); }});
  }

  void loss() {
    const int64_t n = o_.chunk, v = o_.classes;
    const Tensor logits = random({n, v}), losses = fp32({n, 2}), targets = ids(n, v);
    kernels::DeviceCrossEntropy entropy;
    entropy.type = element_;
    entropy.rows = n;
    entropy.classes = v;
    entropy.logits = logits.data_ptr();
    entropy.targets = targets.data_ptr<int64_t>();
    entropy.smoothing = 0.1;
    entropy.gradient = true;
    entropy.losses = losses.data_ptr<float>();
    cases_.push_back({"cross_entropy", table_.cross_entropy != nullptr, n, v, bytes(2 * n * v),
                      [=, this] { table_.cross_entropy(entropy); },
                      [=] {
                        const Tensor scores = logits.detach().requires_grad_(true);
                        at::cross_entropy_loss(scores.to(at::kFloat), targets, {},
                                               at::Reduction::Sum, -100, 0.1)
                            .backward();
                      }});
  }

  void rotation() {
    const int64_t n = o_.rows, h = o_.width / o_.head_width, w = o_.head_width;
    const Tensor x = random({n, h, w}), output = random({n, h, w}),
                 table = fp32({512, 2, 1, w / 2}), positions = ids(n, 512);
    kernels::Rotate rotate;
    rotate.type = element_;
    rotate.rows = n;
    rotate.heads = h;
    rotate.head_width = w;
    rotate.x = x.data_ptr();
    rotate.row_stride = h * w;
    rotate.table = table.data_ptr<float>();
    rotate.positions = positions.data_ptr<int64_t>();
    rotate.output = output.data_ptr();
    cases_.push_back({"rotate", table_.rotate != nullptr, n, h * w, bytes(2 * n * h * w),
                      [=, this] { table_.rotate(rotate); },
                      [=] {
                        const Tensor at_tokens =
                            table.index_select(0, positions);  // [N, 2, 1, w/2]
                        const Tensor c = at_tokens.select(1, 0), s = at_tokens.select(1, 1);
                        const auto pairs = x.unflatten(2, {w / 2, 2}).unbind(3);
                        at::stack({pairs[0] * c - pairs[1] * s, pairs[1] * c + pairs[0] * s}, 3);
                      }});
  }

  void products() {
    const int64_t n = o_.rows, d = o_.width, f = o_.feed_forward;
    const Tensor x = random({n, d}), weight = random({f, d}), bias = random({f}),
                 output = random({n, f}), grad_x = random({n, d});
    const Tensor grad_weight = fp32({f, d}), grad_bias = fp32({f});
    auto forward = product<kernels::DeviceLinear>(n, d, f);
    forward.relu = true;
    forward.x = x.data_ptr();
    forward.weight = weight.data_ptr();
    forward.bias = bias.data_ptr();
    forward.output = output.data_ptr();
    const int64_t elements = n * d + n * f + d * f;
    cases_.push_back({"linear_relu", table_.linear != nullptr, n, f, bytes(elements),
                      [=, this] { table_.linear(forward); },
                      [=] { at::relu(at::linear(x, weight, bias)); }});
    auto backward = product<kernels::DeviceLinearBackward>(n, d, f);
    backward.x = x.data_ptr();
    backward.weight = weight.data_ptr();
    backward.grad_output = output.data_ptr();
    backward.grad_x = grad_x.data_ptr();
    backward.grad_weight = grad_weight.data_ptr<float>();
    backward.grad_bias = grad_bias.data_ptr<float>();
    cases_.push_back({"linear_backward", table_.linear_backward != nullptr, n, f,
                      bytes(2 * elements), [=, this] { table_.linear_backward(backward); },
                      [=] {
                        at::mm(output, weight);
                        at::mm(output.t(), x).to(at::kFloat);
                        output.sum(0, false, at::kFloat);
                      }});
  }

  const Options& o_;
  const kernels::DeviceKernels& table_;
  at::ScalarType type_;
  kernels::ElementType element_;
  at::TensorOptions numbers_;
  Tensor pass_key_;
  kernels::DropoutCall dropout_;
  std::vector<Tensor> kept_;
  std::vector<Case> cases_;
};

void run(const Options& options) {
  const bench::Place place(options.device);
  const Cases cases(options, place, bench::kernels_of(place, options.device));
  for (const Case& c : cases.all()) {
    nlohmann::json line{
        {"kernel", c.name}, {"type", options.type}, {"rows", c.rows}, {"width", c.width}};
    const double plain = place.median_seconds(c.libtorch, options.repeats);
    if (c.there) {
      const double fused = place.median_seconds(c.fused, options.repeats);
      line["microseconds"] = fused * 1e6;
      line["gigabytes_per_second"] = c.bytes * 1e-9 / fused;
      line["libtorch / fused"] = plain / fused;
    } else {
      line["failed"] = "the device has no such kernel";
    }
    line["libtorch_microseconds"] = plain * 1e6;
    std::cout << line << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  OptionTable table("row_kernels", "", "Times the fused kernels of a device.");
  table.add("rows", &options.rows, "N", "tokens of the batch", ranges::kBatchTokens)
      .add("width", &options.width, "N", "width of the model", ranges::kWidth)
      .add("feed-forward", &options.feed_forward, "N", "inner width of the feed-forward blocks",
           ranges::kFeedForward)
      .add("head-width", &options.head_width, "N", "width of a head", ranges::kWidth)
      .add("classes", &options.classes, "N", "pieces of the vocabulary", ranges::kVocabulary)
      .add("chunk", &options.chunk, "N", "rows of the loss", ranges::kBatchTokens)
      .add("dropout", &options.dropout, "P", "dropout", ranges::kDropout)
      .add("type", &options.type, "", "element type", bench::kElement)
      .add("device", &options.device, "NAME", bench::kDeviceHelp);
  bench::add_repeats(table, options.repeats);
  return bench::run_benchmark(table, argc, argv, [&] { run(options); });
}
