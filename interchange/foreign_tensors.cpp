#include "interchange/foreign_tensors.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>
#include <torch/types.h>

#include <algorithm>

#include "common/error.h"
#include "storage/safetensors_file.h"

namespace dietmt::interchange {
namespace {

std::string replaced(const std::string& pattern, const std::string& word) {
  const size_t at = pattern.find('*');
  return at == std::string::npos ? pattern : std::string(pattern).replace(at, 1, word);
}

class Table {
 public:
  explicit Table(const LayerNames& names) : names_(names) {}

  void encoder_layer(int64_t layer) {
    begin("encoder.layer", names_.encoder_layer, layer);
    self_attention();
    feed_forward();
  }

  void decoder_layer(int64_t layer, bool is_recurrent) {
    begin("decoder.layer", names_.decoder_layer, layer);
    if (is_recurrent) {
      recurrence();
    } else {
      self_attention();
    }
    linear("cross_attention.query_", {names_.cross_query});
    linear("cross_attention.memory_", names_.cross_memory);
    linear("cross_attention.output_", {names_.cross_output});
    norm("cross_residual.norm.", names_.cross_norm);
    feed_forward();
  }

  void final_norms() {
    ours_ = theirs_ = "";
    norm("encoder.final_norm.", names_.final_norms[0]);
    norm("decoder.final_norm.", names_.final_norms[1]);
  }

  std::vector<Correspondence> take() { return std::move(rows_); }

 private:
  void begin(const std::string& ours, const std::string& theirs, int64_t layer) {
    ours_ = ours + std::to_string(layer) + ".";
    theirs_ = replaced(theirs, std::to_string(layer + names_.first_layer));
  }

  void self_attention() {
    linear("self_attention.input_", names_.self_input);
    linear("self_attention.output_", {names_.self_output});
    norm("self_residual.norm.", names_.self_norm);
  }

  void recurrence() {
    add("recurrence.input_weight", names_.recurrence_input, names_.weight);
    add("recurrence.forget_bias", {names_.recurrence_input.back()}, names_.bias);
    norm("self_residual.norm.", names_.recurrence_norm);
  }

  void feed_forward() {
    linear("feed_forward.inner_", names_.feed_forward_inner);
    linear("feed_forward.outer_", {names_.feed_forward_outer});
    norm("feed_forward_residual.norm.", names_.feed_forward_norm);
  }

  void linear(const std::string& ours, const std::vector<std::string>& theirs) {
    add(ours + "weight", theirs, names_.weight);
    add(ours + "bias", theirs, names_.bias);
  }

  void norm(const std::string& ours, const std::string& theirs) {
    add(ours + "weight", {theirs}, names_.scale);
    add(ours + "bias", {theirs}, names_.shift);
  }

  void add(const std::string& ours, const std::vector<std::string>& theirs,
           const std::string& word) {
    Correspondence row{ours_ + ours, {}};
    for (const std::string& pattern : theirs)
      row.theirs.push_back(theirs_ + replaced(pattern, word));
    rows_.push_back(std::move(row));
  }

  const LayerNames& names_;
  std::string ours_, theirs_;  // prefixes of the layer's names
  std::vector<Correspondence> rows_;
};

}  // namespace

using at::Tensor;

ForeignTensors::ForeignTensors(std::filesystem::path where, TensorsByName tensors)
    : where_(std::move(where)), tensors_(std::move(tensors)) {}

void ForeignTensors::fail(const std::string& what) const {
  throw CheckpointError(where_.string() + ": " + what);
}

Tensor ForeignTensors::take(const std::string& name) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail("has no tensor " + name);
  taken_.insert(name);
  if (!found->second.is_floating_point())
    fail(name + " holds integers, so it is quantized: import the model in fp32, fp16 or " + "bf16");
  return found->second.to(at::kFloat);
}

Tensor ForeignTensors::take_first(const std::vector<std::string>& names) {
  Tensor first;
  for (const std::string& name : names)
    if (Tensor found = contains(name) ? take(name) : Tensor(); !first.defined()) first = found;
  return first.defined() ? first : take(names.front());
}

Tensor ForeignTensors::join(const Correspondence& row, const std::vector<Tensor>& parts) const {
  try {
    if (row.joining == Joining::kRows && parts.size() == 1) return parts.front();
    if (row.joining == Joining::kRows) return at::cat(parts).to(at::kFloat);
    return at::stack(parts).flip(1).unsqueeze(1).to(at::kFloat);
  } catch (const c10::Error&) {
    fail("the shapes of " + shortened(row.theirs) + " do not match");
  }
}

std::vector<Tensor> split(const Tensor& parameter, Joining joining, size_t count) {
  if (joining == Joining::kRows) return parameter.chunk(static_cast<int64_t>(count));
  return parameter.squeeze(1).flip(1).unbind();
}

TensorsByName ForeignTensors::take_all(const std::vector<Correspondence>& rows) {
  TensorsByName values;
  for (const Correspondence& row : rows) {
    std::vector<Tensor> parts;
    for (const std::string& name : row.theirs) parts.push_back(take(name));
    values[row.ours] = join(row, parts);
  }
  return values;
}

TensorsByName ForeignTensors::take_layers(const nmt::ModelConfig& config, const LayerNames& names) {
  std::vector<Correspondence> present;
  TensorsByName values;
  for (const Correspondence& row : correspondences(config, names)) {
    const bool is_norm_shift = row.ours.ends_with("norm.bias");
    if (is_norm_shift && config.norm_type == "rms") continue;
    if (!row.ours.ends_with("_bias") || contains(row.theirs.front())) {
      present.push_back(row);
      continue;
    }
    int64_t outputs = 0;
    for (const std::string& bias : row.theirs) {
      const std::string layer = bias.substr(0, bias.size() - names.bias.size());
      outputs += matrix(layer + names.weight).size(0);
    }
    values[row.ours] = at::zeros({outputs});
  }
  values.merge(take_all(present));
  return values;
}

const Tensor& ForeignTensors::matrix(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end() || found->second.dim() != 2) fail("has no matrix " + name);
  return found->second;
}

std::string shortened(const std::vector<std::string>& names) {
  constexpr size_t kShown = 6;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

std::vector<std::string> ForeignTensors::others() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_)
    if (!taken_.contains(name)) names.push_back(name);
  return names;
}

void ForeignTensors::refuse_others() const {
  if (const std::vector<std::string> unused = others(); !unused.empty())
    fail("has parts that dietmt's models do not have: " + shortened(unused));
}

void ForeignTensors::warn_of_others() const {
  const std::vector<std::string> names = others();
  if (!names.empty())
    spdlog::warn("{}: ignored tensors that this architecture does not use: {}", where_.string(),
                 shortened(names));
}

void set_parameters(torch::nn::Module& model, const TensorsByName& values,
                    const std::filesystem::path& where) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model.named_parameters()) {
    const auto found = values.find(parameter.key());
    if (found == values.end())
      throw CheckpointError(where.string() + ": has no tensor for parameter " + parameter.key());
    if (found->second.sizes() != parameter.value().sizes()) {
      throw CheckpointError(where.string() + ": parameter " + parameter.key() + " has shape " +
                            storage::shape_text(found->second.sizes()) +
                            ", but the configuration says " +
                            storage::shape_text(parameter.value().sizes()));
    }
    parameter.value().set_data(found->second.to(at::kFloat).contiguous());
  }
}

void name_positions(const torch::nn::Module& model,
                    const std::map<std::string, TensorsByName>& positions, TensorsByName& values) {
  for (const auto& parameter : model.named_parameters()) {
    const std::string& name = parameter.key();
    for (const auto& [stack, parameters] : positions) {
      if (!name.starts_with(stack + ".position.")) continue;
      const auto found = parameters.find(name.substr(name.rfind('.') + 1));
      if (found == parameters.end()) continue;
      const Tensor& value = found->second;
      const bool is_shared = value.dim() > 2 && parameter.value().size(0) == 1 && value.size(0) > 1;
      values[name] = is_shared ? value.narrow(0, 0, 1) : value;
    }
  }
}

std::vector<Correspondence> correspondences(const nmt::ModelConfig& config,
                                            const LayerNames& names) {
  Table table(names);
  for (int64_t l = 0; l < config.encoder_layers; ++l) table.encoder_layer(l);
  for (int64_t l = 0; l < config.decoder_layers; ++l)
    table.decoder_layer(l, config.decoder_layer == "ssru");
  if (config.norm == "pre") table.final_norms();
  return table.take();
}

}  // namespace dietmt::interchange
