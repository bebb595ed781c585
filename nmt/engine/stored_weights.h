// Weights for the engine that lie packed in a safetensors file: used where they are mapped.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernels/packed_linear.h"
#include "nmt/engine/weight_source.h"
#include "nmt/model/model_files.h"
#include "storage/safetensors_view.h"

namespace dietmt::nmt {

/// "fp32", "bf16" or "int8". Throws ConfigError listing them.
kernels::WeightType parse_weight_type(const std::string& name);

/// The same, and "auto" for none: as a model directory has them.
std::optional<kernels::WeightType> parse_weight_choice(const std::string& name);

/// The type of packed weights in `files`. Throws ConfigError if another one is `wanted`.
kernels::WeightType stored_type(const ModelFiles& files, std::optional<kernels::WeightType> wanted);

/// What sources of named tensors have in common: telling what is wrong, and what nobody asked for.
class NamedWeights : public WeightSource {
 public:
  /// `origin`: what errors name, a file.
  explicit NamedWeights(std::string origin) : origin_(std::move(origin)) {}

  /// The tensors asked for so far. A model's others are those of its position encodings.
  const std::set<std::string>& names_read() const { return read_; }

 protected:
  /// Counts the tensor as read. Throws CheckpointError if its shape is another.
  void take(const std::string& name, std::span<const int64_t> shape,
            std::span<const int64_t> wanted);
  /// Throws CheckpointError naming the file and the tensor.
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

 private:
  std::set<std::string> read_;
  std::string origin_;
};

/// The names of a matrix's tensors: panels by their parameter, and of the later rows of one by
/// where they start; int8 has scales and sums too.
std::string stored_name(const WeightRows& rows);
std::string scales_name(const std::string& matrix);
std::string sums_name(const std::string& matrix);

/// [panels, groups, outputs of a panel, inputs of a group]: kernels/packed_linear.h.
std::vector<int64_t> panel_shape(kernels::WeightType type, int64_t outputs, int64_t inputs);

class StoredWeights : public NamedWeights {
 public:
  /// Weights of type `type`, as PackingWeights::stored() has them.
  StoredWeights(storage::SafetensorsView file, std::string origin, kernels::WeightType type);

  kernels::PackedWeights matrix(const WeightRows& rows) override;
  const float* numbers(const std::string& parameter, int64_t count) override;
  std::shared_ptr<const void> storage() const override { return file_.file; }

 private:
  // Where the tensor lies, which must be a multiple of `alignment` bytes.
  const void* read(const std::string& name, std::span<const int64_t> shape, const char* dtype,
                   size_t alignment);

  storage::SafetensorsView file_;
  kernels::WeightType type_;
};

}  // namespace dietmt::nmt
