// Tensors of another program's model, and how they map to our parameters.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "nmt/model/config.h"

namespace dietmt::interchange {

using TensorsByName = std::map<std::string, at::Tensor>;

/// The output bias of pieces that only dietmt has, such as begin of sentence: it gives them
/// probability zero, and is finite in every type.
inline constexpr float kNever = -1e9F;

/// How several tensors form one parameter.
enum class Joining {
  kRows,             // concatenated
  kLayersOfOffsets,  // one per layer, [2C+1, Dh] ordered by i - j; ours is [L, 1, 2C+1, Dh] by j -
                     // i
};

/// One of our parameters and the foreign tensors that form it.
struct Correspondence {
  std::string ours;                 // as in named_parameters()
  std::vector<std::string> theirs;  // at least one
  Joining joining = Joining::kRows;
};

/// Splits our parameter into `count` tensors of another program.
std::vector<at::Tensor> split(const at::Tensor& parameter, Joining joining, size_t count);

/// "a, b, c and 12 more".
std::string shortened(const std::vector<std::string>& names);

/// The names that one program uses. In the first two, `*` stands for the layer's number; in all
/// others, for one of the last four words.
struct LayerNames {
  std::string encoder_layer;  // prefix of the names below
  std::string decoder_layer;
  int64_t first_layer;                  // number of the first layer
  std::vector<std::string> self_input;  // queries, keys, values
  std::string self_output;
  std::string self_norm;
  std::vector<std::string> recurrence_input = {};  // SSRU: candidate, forget gate
  std::string recurrence_norm = {};
  std::string cross_query;
  std::vector<std::string> cross_memory;  // keys, values
  std::string cross_output;
  std::string cross_norm;
  std::vector<std::string> feed_forward_inner;  // SwiGLU: gate, value
  std::string feed_forward_outer;
  std::string feed_forward_norm;
  std::string final_norms[2];  // of encoder and decoder, only in pre-norm models
  std::string weight, bias;    // of linear layers
  std::string scale, shift;    // of norms
};

/// Tensors by their foreign names. Remembers which ones were taken.
class ForeignTensors {
 public:
  /// `where` names their file in errors.
  ForeignTensors(std::filesystem::path where, TensorsByName tensors);

  const TensorsByName& all() const { return tensors_; }
  bool contains(const std::string& name) const { return tensors_.contains(name); }

  /// Returns it in fp32. Throws CheckpointError naming the file and the tensor if it is missing or
  /// holds integers: quantized weights mean nothing without their scales.
  at::Tensor take(const std::string& name);

  /// The first of `names` that exists; all of them count as taken. Throws like take().
  at::Tensor take_first(const std::vector<std::string>& names);

  /// Marks the tensor as taken.
  void ignore(const std::string& name) { taken_.insert(name); }

  /// Forms our parameter from the tensors of a row. Throws CheckpointError if their shapes do not
  /// match.
  at::Tensor join(const Correspondence& row, const std::vector<at::Tensor>& parts) const;

  /// The parameters of all rows. Throws like take() and join().
  TensorsByName take_all(const std::vector<Correspondence>& rows);

  /// The parameters of correspondences(config, names). Biases that the file lacks are zeros. Throws
  /// like take_all().
  TensorsByName take_layers(const nmt::ModelConfig& config, const LayerNames& names);

  /// Without taking it. Throws CheckpointError unless it has two dimensions.
  const at::Tensor& matrix(const std::string& name) const;

  /// The names of the tensors that were not taken.
  std::vector<std::string> others() const;

  /// Warns about them.
  void warn_of_others() const;
  /// Throws CheckpointError naming them: they change what the model computes.
  void refuse_others() const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::filesystem::path where_;
  TensorsByName tensors_;
  std::set<std::string> taken_;
};

/// Sets all parameters of `model`, which then share the memory of `values`. Throws CheckpointError
/// naming `where` and the parameter if a value is missing or has another shape.
void set_parameters(torch::nn::Module& model, const TensorsByName& values,
                    const std::filesystem::path& where);

/// Gives the parameters of position encodings the names that they have in `model`. `positions`: by
/// stack ("encoder" or "decoder") and by the last word of their names; those of all layers. Where
/// ours share one, it is the first.
void name_positions(const torch::nn::Module& model,
                    const std::map<std::string, TensorsByName>& positions, TensorsByName& values);

/// All parameters except embeddings, output and positions. `names` must include those of a
/// recurrence if the model has one.
std::vector<Correspondence> correspondences(const nmt::ModelConfig& config,
                                            const LayerNames& names);

}  // namespace dietmt::interchange
