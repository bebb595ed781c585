// The fused kernels of kernels/attention.h, on the CPU and on a GPU. They take packed sentences and
// never store scores.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <array>
#include <functional>
#include <utility>

#include "encoders/attention/backends.h"
#include "encoders/attention/head_layout.h"
#include "encoders/device/device.h"
#include "encoders/position/term_table.h"
#include "kernels/attention_tables.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using kernels::kAttentionTables;

/// A table for each of kAttentionTables, undefined where the call has none.
constexpr size_t kTableCount = kAttentionTables.size();
using TableTensors = std::array<Tensor, kTableCount>;

/// A call's tensors for each of kAttentionTables.
const Tensor& table_of(const ScoreTerms& terms, size_t t) {
  return terms.*term_of(kAttentionTables[t].table).table;
}

/// Which kernels of a device run.
enum class KernelChoice { kUsual, kWarpgroup };

/// The parts of a call that never need gradients.
struct Settings : torch::CustomClassHolder {
  Settings(const AttentionCall& call, KernelChoice kernel_choice, std::vector<size_t> tables)
      : kernel(kernel_choice),
        queries(call.query_packing),
        keys(call.key_packing),
        content_scale(call.terms.content_scale),
        segments(call.segments.defined() ? call.segments.contiguous() : Tensor()),
        present(std::move(tables)),
        causal(call.causal),
        dropout(call.dropout),
        pass_key(call.queries.is_cpu() ? Tensor() : dropout.pass_key(call.queries.device())),
        memory_gradients(call.memory_gradients),
        key_part(call.key_part) {}

  KernelChoice kernel;
  Packing queries;
  Packing keys;
  std::vector<double> content_scale;  // [1] or [H]
  Tensor segments;
  std::vector<size_t> present;  // places in kAttentionTables of the tables that the call has
  bool causal = false;
  DropoutSite dropout;
  Tensor pass_key;  // for the kernels of a device; undefined without dropout
  std::shared_ptr<PartGradients> memory_gradients;  // or null
  int64_t key_part = 0;
};

kernels::HeadRows head_rows(const Tensor& x) { return {x.data_ptr(), x.stride(0)}; }

kernels::HeadTable head_table(const Tensor& table) {
  if (!table.defined()) return {};
  return {table.data_ptr<float>(), table.size(0) == 1 ? 0 : table.stride(0)};
}

/// [tokens, H, Dh] with the heads of a token side by side.
Tensor with_dense_tokens(const Tensor& x) {
  const bool dense = x.stride(2) == 1 && x.stride(1) == x.size(2);
  return dense ? x : x.contiguous();
}

/// `x` with rows that begin at 16 bytes on a device, whose kernels read 16 bytes at a time.
Tensor with_aligned_tokens(const Tensor& x) {
  constexpr int64_t kBytes = 16;
  const Tensor dense = with_dense_tokens(x);
  const bool aligned = reinterpret_cast<uintptr_t>(dense.const_data_ptr()) % kBytes == 0 &&
                       dense.stride(0) * dense.element_size() % kBytes == 0;
  return dense.is_cpu() || aligned ? dense : dense.clone(at::MemoryFormat::Contiguous);
}

/// C, R or G of a table that is present.
int64_t size_of(const Tensor& table, kernels::TableRows rows) {
  return kernels::has_offsets(rows) ? (table.size(1) - 1) / 2 : table.size(2);
}

/// None where only the device knows them; kernels of the CPU get none of those packings.
kernels::HostOffsets host_offsets(const Packing& packing) {
  return {packing.has_lengths() ? packing.offsets().data() : nullptr};
}

/// The kernel's view of a call, and the tensors that the view points to.
class KernelCall {
 public:
  KernelCall(const Settings& settings, const Tensor& queries, const Tensor& keys,
             const Tensor& values, const TableTensors& tables, const Tensor& output,
             const Tensor& log_normalizer, const Tensor& output_rest) {
    const int64_t heads = queries.size(1);
    scale_.assign(static_cast<size_t>(heads), static_cast<float>(settings.content_scale.front()));
    if (settings.content_scale.size() > 1)
      std::copy(settings.content_scale.begin(), settings.content_scale.end(), scale_.begin());
    view.sizes = {
        .type = element_type(queries.scalar_type()),
        .sentences = settings.queries.sentences(),
        .heads = heads,
        .head_width = queries.size(2),
        .query_offsets = host_offsets(settings.queries),
        .key_offsets = host_offsets(settings.keys),
        .device_query_offsets = settings.queries.device_offsets(),
        .device_key_offsets = settings.keys.device_offsets(),
        .device_query_tiles = settings.queries.device_tiles(),
        .device_key_tiles = settings.keys.device_tiles(),
        .query_rows = queries.size(0),
        .key_rows = keys.size(0),
        .max_queries = settings.queries.max_length(),
        .max_keys = settings.keys.max_length(),
        .causal = settings.causal,
        .dropout = settings.dropout.p,
        .dropout_key = queries.is_cpu() ? settings.dropout.key() : 0,
        .device_dropout_key =
            dropout_call(settings.dropout.p, settings.pass_key, settings.dropout.number).key};
    for (size_t t = 0; t < kTableCount; ++t) {
      if (!tables[t].defined()) continue;
      const kernels::AttentionTable& row = kAttentionTables[t];
      view.terms.tables.*row.table = head_table(tables[t]);
      if (row.size != nullptr) view.terms.*row.size = size_of(tables[t], row.rows);
    }
    view.terms.content_scale = scale_.data();
    if (settings.segments.defined())
      view.terms.segments = settings.segments.const_data_ptr<int64_t>();
    view.queries = head_rows(queries);
    view.keys = head_rows(keys);
    view.values = head_rows(values);
    view.output = head_rows(output);
    if (output_rest.defined()) view.output_rest = head_rows(output_rest);
    if (log_normalizer.defined()) view.log_normalizer = log_normalizer.data_ptr<float>();
  }

  kernels::AttentionForward view;

 private:
  std::vector<float> scale_;  // [H]
};

/// Whether sentences are so short that the usual kernels are faster. Measured on an H200 for the
/// backward pass of a sentence a tile: a block by wgmma has a multiprocessor to itself, which
/// blocks of short sentences leave idle while they start and end.
bool are_short(const kernels::AttentionSizes& sizes) {
  constexpr int64_t kLongOnAverage = 64;  // tokens
  return sizes.key_rows < kLongOnAverage * sizes.sentences;
}

void run_forward(const kernels::AttentionForward& call, KernelChoice kernel, at::Device device) {
  if (device.is_cpu()) return kernels::attention_forward_cpu(call);
  const c10::DeviceGuard guard(device);
  const kernels::DeviceKernels& table = *device_kernels(device);
  const bool by_warpgroups = kernel == KernelChoice::kWarpgroup &&
                             !(are_short(call.sizes) && kernels::packs_sentences(call));
  by_warpgroups ? table.warpgroup_attention_forward(call) : table.attention_forward(call);
}

void run_backward(const kernels::AttentionBackward& call, KernelChoice kernel, at::Device device) {
  if (device.is_cpu()) return kernels::attention_backward_cpu(call);
  const c10::DeviceGuard guard(device);
  const kernels::DeviceKernels& table = *device_kernels(device);
  const bool by_warpgroups = kernel == KernelChoice::kWarpgroup &&
                             table.warpgroup_attention_backward != nullptr &&
                             !are_short(call.forward.sizes);
  by_warpgroups ? table.warpgroup_attention_backward(call) : table.attention_backward(call);
}

/// In their places; the others are undefined.
TableTensors in_place(at::TensorList present, const Settings& settings) {
  TableTensors tables;
  for (size_t i = 0; i < present.size(); ++i) tables[settings.present[i]] = present[i];
  return tables;
}

/// For queries, keys and values: parts of one tensor if those are (head_layout.h).
std::vector<Tensor> empty_gradients(const std::vector<Tensor>& vectors, const Settings& settings) {
  if (are_parts(vectors)) return empty_like_parts(vectors);
  std::vector<Tensor> empty;
  if (settings.memory_gradients)
    for (const int64_t p : {settings.key_part, settings.key_part + 1})
      empty.push_back(settings.memory_gradients->part(p));
  else
    empty = empty_like_parts({vectors[1], vectors[2]});
  empty.insert(empty.begin(), at::empty(vectors[0].sizes(), vectors[0].options()));
  return empty;
}

struct FusedAttention : torch::autograd::Function<FusedAttention> {
  static Tensor forward(AutogradContext* context, const Tensor& queries, const Tensor& keys,
                        const Tensor& values, at::TensorList present,
                        const c10::intrusive_ptr<Settings>& given) {
    const Settings& settings = *given;
    const TableTensors tables = in_place(present, settings);
    const Tensor output = at::empty(queries.sizes(), queries.options());
    const Tensor log_normalizer =
        at::empty({queries.size(1), queries.size(0)}, queries.options().dtype(at::kFloat));
    const bool rounds_rest = queries.scalar_type() != at::kFloat && !present.empty();
    const Tensor output_rest = rounds_rest ? at::empty_like(output) : Tensor();
    run_forward(
        KernelCall(settings, queries, keys, values, tables, output, log_normalizer, output_rest)
            .view,
        settings.kernel, queries.device());
    variable_list saved = {queries,        keys,        values,           output,
                           log_normalizer, output_rest, settings.pass_key};
    saved.insert(saved.end(), present.begin(), present.end());
    context->save_for_backward(saved);
    context->saved_data["settings"] = at::IValue::make_capsule(given);
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const auto given =
        c10::static_intrusive_pointer_cast<Settings>(context->saved_data["settings"].toCapsule());
    const Settings& settings = *given;
    const at::TensorList present = at::TensorList(saved).slice(7);
    const TableTensors tables = in_place(present, settings);
    const KernelCall forward(settings, saved[0], saved[1], saved[2], tables, saved[3], saved[4],
                             saved[5]);
    const Tensor grad_output = with_aligned_tokens(gradients[0]);
    variable_list results = empty_gradients({saved[0], saved[1], saved[2]}, settings);
    kernels::AttentionBackward call;
    call.forward = forward.view;
    call.grad_output = head_rows(grad_output);
    call.grad_queries = head_rows(results[0]);
    call.grad_keys = head_rows(results[1]);
    call.grad_values = head_rows(results[2]);
    const bool overwrites = !saved[0].is_cpu() && saved[0].size(0) > 0;
    for (size_t i = 0; i < present.size(); ++i) {
      results.emplace_back();
      if (context->needs_input_grad(3 + i))
        results.back() = overwrites ? at::empty_like(present[i]) : at::zeros_like(present[i]);
      call.grad_tables.*kAttentionTables[settings.present[i]].table = head_table(results.back());
    }
    run_backward(call, settings.kernel, saved[0].device());
    results.emplace_back();  // of the settings
    return results;
  }
};

/// A table as the kernels read it: fp32, contiguous, and of pairs only those of the call.
Tensor kernel_table(const Tensor& table, kernels::TableRows rows, const AttentionCall& call) {
  if (rows != kernels::TableRows::kPairs) return table.to(at::kFloat).contiguous();
  return table.to(at::kFloat)
      .narrow(1, 0, call.query_packing.max_length())
      .narrow(2, 0, call.key_packing.max_length())
      .contiguous();
}

Tensor attend_fused(const AttentionCall& call, KernelChoice kernel) {
  variable_list tables;
  std::vector<size_t> present;
  for (size_t t = 0; t < kTableCount; ++t) {
    const Tensor& table = table_of(call.terms, t);
    if (!table.defined()) continue;
    tables.push_back(kernel_table(table, kAttentionTables[t].rows, call));
    present.push_back(t);
  }
  return FusedAttention::apply(with_dense_tokens(call.queries), with_dense_tokens(call.keys),
                               with_dense_tokens(call.values), at::TensorList(tables),
                               c10::make_intrusive<Settings>(call, kernel, std::move(present)));
}

/// Properties of a call that a device's reasons depend on.
std::vector<std::string> reasons_of(
    const AttentionCall& call,
    const std::function<std::vector<std::string>(const kernels::AttentionForward&)>& reasons) {
  kernels::AttentionForward view;
  view.sizes.type = element_type(call.queries.scalar_type());
  view.sizes.heads = call.queries.size(1);
  view.sizes.head_width = call.queries.size(2);
  view.sizes.max_queries = call.query_packing.max_length();
  view.sizes.max_keys = call.key_packing.max_length();
  view.queries = head_rows(with_dense_tokens(call.queries));
  view.keys = head_rows(with_dense_tokens(call.keys));
  view.values = head_rows(with_dense_tokens(call.values));
  float present = 0.0f;
  for (size_t t = 0; t < kTableCount; ++t) {
    const Tensor& table = table_of(call.terms, t);
    if (!table.defined()) continue;
    const kernels::AttentionTable& row = kAttentionTables[t];
    (view.terms.tables.*row.table).data = &present;
    if (row.size != nullptr) view.terms.*row.size = size_of(table, row.rows);
  }
  const c10::DeviceGuard guard(call.queries.device());
  return reasons(view);
}

}  // namespace

Tensor attend_cpu(const AttentionCall& call) { return attend_fused(call, KernelChoice::kUsual); }

Tensor attend_cuda(const AttentionCall& call) { return attend_fused(call, KernelChoice::kUsual); }

Tensor attend_hopper(const AttentionCall& call) {
  return attend_fused(call, KernelChoice::kWarpgroup);
}

std::vector<std::string> reasons_against_cuda(const AttentionCall& call) {
  const at::ScalarType type = call.queries.scalar_type();
  if (call.queries.is_cpu()) return {"the tensors are not on a CUDA device"};
  if (type != at::kBFloat16 && type != at::kHalf && type != at::kFloat)
    return {"it supports fp32, bf16 and fp16, not " + std::string(at::toString(type))};
  const kernels::DeviceKernels* const device = device_kernels(call.queries.device());
  if (device == nullptr) return {reason_for_no_kernels(call.queries.device())};
  if (device->attention_forward == nullptr) return {"the device has no kernels for it"};
  return reasons_of(call, device->reasons_against_attention);
}

std::vector<std::string> reasons_against_hopper(const AttentionCall& call) {
  std::vector<std::string> reasons = reasons_against_cuda(call);
  if (!reasons.empty()) return reasons;
  const kernels::DeviceKernels* const device = device_kernels(call.queries.device());
  if (device->warpgroup_attention_forward == nullptr) return {"the device has no kernel for it"};
  return reasons_of(call, device->reasons_against_warpgroup_attention);
}

}  // namespace dietmt::encoders
