#include "interchange/marian/marian.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "interchange/foreign_tensors.h"
#include "interchange/marian/marian_binary.h"
#include "interchange/marian/marian_config.h"
#include "interchange/marian/marian_names.h"
#include "interchange/marian/npz.h"
#include "nmt/network/unset_model.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

TensorsByName load_binary(const fs::path& path) {
  const MarianBinary binary(path);
  TensorsByName tensors;
  for (const auto& [name, tensor] : binary.tensors()) {
    const bool is_text = tensor.type == BinaryTensor::Type::kBytes;
    tensors[name] = is_text ? at::tensor(tensor.integers(), at::kByte)
                            : at::tensor(tensor.floats()).reshape(tensor.shape);
  }
  return tensors;
}

/// Options from the tensor of their characters, which ends with a zero.
MarianOptions read_options(ForeignTensors& tensors, const fs::path& path) {
  const auto found = tensors.all().find(kOptions);
  if (found == tensors.all().end()) tensors.fail("has no tensor " + std::string(kOptions));
  tensors.ignore(kOptions);
  const Tensor characters = found->second.to(at::kByte).contiguous();
  std::string text(reinterpret_cast<const char*>(characters.const_data_ptr()),
                   static_cast<size_t>(characters.numel()));
  return marian_options(std::move(text), path.string());
}

/// Marian's weights are [inputs, outputs], ours [outputs, inputs]; its vectors have a leading 1.
TensorsByName turned(TensorsByName tensors) {
  for (auto& [name, tensor] : tensors) {
    const bool embedding = name.ends_with("Wemb") || name.ends_with("_Wt");
    if (tensor.dim() != 2 || embedding) continue;
    tensor = tensor.size(0) == 1 ? tensor.squeeze(0) : tensor.t();
  }
  return tensors;
}

/// The first of the matrices that exists, with a row of zeros appended for begin of sentence.
Tensor rows_with_begin(ForeignTensors& tensors, const std::vector<std::string>& names) {
  const Tensor rows = tensors.take_first(names);
  if (rows.dim() != 2) tensors.fail(shortened(names) + " must be a matrix");
  return at::constant_pad_nd(rows, {0, 0, 0, 1});
}

TensorsByName read_parameters(ForeignTensors& tensors, const nmt::ModelConfig& config) {
  TensorsByName values = tensors.take_all(correspondences(config, marian_names()));
  values["source_embedding"] = rows_with_begin(tensors, {"encoder_Wemb", "Wemb"});
  const Tensor target = rows_with_begin(tensors, {"decoder_Wemb", "Wemb"});
  if (config.tied_embeddings != "all") values["target_embedding"] = target;
  if (config.tied_embeddings == "none") {
    values["output_weight"] =
        rows_with_begin(tensors, {"decoder_ff_logit_out_W", "decoder_ff_logit_out_Wt"});
  }
  values["output_bias"] = at::constant_pad_nd(tensors.take(kOutputBias).flatten(), {0, 1}, kNever);
  tensors.warn_of_others();
  return values;
}

}  // namespace

nmt::LoadedModel import_marian(const MarianFiles& files) {
  ForeignTensors tensors(files.weights,
                         turned(files.weights.extension() == ".bin" ? load_binary(files.weights)
                                                                    : load_npz(files.weights)));
  nmt::ModelConfig config =
      marian_model_config(read_options(tensors, files.weights), files.weights.string());
  nmt::require_buildable(config, sizeof(float), files.weights.string());
  const auto source = marian_tokenizer(files, 0, config.source_vocabulary++);
  const auto target = marian_tokenizer(files, 1, config.target_vocabulary++);
  check_vocabularies(files, config, *source, *target);
  const auto model = nmt::unset_model(config);
  set_parameters(*model, read_parameters(tensors, config), files.weights);
  model->eval();
  return {model, source, target, files.weights};
}

}  // namespace dietmt::interchange
