// Weights of the engine that are stored packed in a safetensors file, and used where it is mapped.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernels/packed_linear.h"
#include "nmt/engine/engine_model.h"
#include "nmt/model/model_files.h"
#include "storage/safetensors_file.h"

namespace dietmt::nmt {

/// Parses "fp32", "bf16" or "int8". Throws ConfigError, which lists them.
kernels::WeightType parse_weight_type(const std::string& name);

/// A type or "auto", which gives none: the type of the model directory.
std::optional<kernels::WeightType> parse_weight_choice(const std::string& name);

/// The type of the packed weights in `files`. Throws ConfigError if another type is `wanted`.
kernels::WeightType stored_type(const ModelFiles& files, std::optional<kernels::WeightType> wanted);

/// Sources of named tensors: their errors, and the names that have been read.
class NamedWeights : public WeightSource {
 public:
  /// `origin`: the file that errors name.
  explicit NamedWeights(std::string origin) : origin_(std::move(origin)) {}

  /// The tensors read so far. The other tensors of a model belong to its position encodings.
  const std::set<std::string>& names_read() const { return read_; }

 protected:
  /// Marks the tensor as read. Throws CheckpointError if its shape is not as `wanted`.
  void take(const std::string& name, std::span<const int64_t> shape,
            std::span<const int64_t> wanted);
  /// Throws CheckpointError, which names the file and the tensor.
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

 private:
  std::set<std::string> read_;
  std::string origin_;
};

/// The tensor names of a matrix. Panels have the name of their parameter, with the first row if
/// that is not 0; int8 also has scales and sums, and may have the multiplier of its inputs and the
/// scales of its rows.
std::string stored_name(const WeightRows& rows);
std::string scales_name(const std::string& matrix);
std::string sums_name(const std::string& matrix);
std::string multiplier_name(const std::string& matrix);
std::string row_scales_name(const std::string& matrix);

/// The safetensors type of panels: "F32", "BF16" or "I8".
const char* stored_dtype(kernels::WeightType type);

/// [panels, groups, outputs of a panel, inputs of a group]: kernels/packed_linear.h.
std::vector<int64_t> panel_shape(kernels::WeightType type, int64_t outputs, int64_t inputs);

/// Appends the tensors that store a matrix, which must live until they are written.
void append_stored(const std::string& name, const kernels::PackedWeights& matrix,
                   std::vector<storage::TensorSource>& tensors);

class StoredWeights : public NamedWeights {
 public:
  /// Weights of type `type`, as PackingWeights::stored() has them.
  StoredWeights(storage::SafetensorsFile file, std::string origin, kernels::WeightType type);

  kernels::PackedWeights matrix(const WeightRows& rows) override;
  const float* numbers(const std::string& parameter, int64_t count) override;
  std::shared_ptr<const void> storage() const override { return file_.file; }

 private:
  // The address of the tensor, which must be a multiple of `alignment` bytes.
  const void* read(const std::string& name, std::span<const int64_t> shape, const char* dtype,
                   size_t alignment);

  storage::SafetensorsFile file_;
  kernels::WeightType type_;
};

}  // namespace dietmt::nmt
