// Where the engine's weights come from, by the names of the model's parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/packed_linear.h"
#include "nmt/engine/engine_model.h"

namespace dietmt::nmt {

struct ModelConfig;

/// The rows of a matrix parameter that are one layer: all, or those behind the first few.
struct WeightRows {
  std::string parameter;
  int64_t rows = 0;  // of the parameter
  int64_t inputs = 0;
  int64_t first = 0;
  int64_t outputs = rows;
};

class WeightSource {
 public:
  virtual ~WeightSource() = default;

  /// The same panels whenever the same rows are asked for.
  virtual kernels::PackedWeights matrix(const WeightRows& rows) = 0;

  /// A parameter of `count` numbers.
  virtual const float* numbers(const std::string& parameter, int64_t count) = 0;

  /// What all pointers given so far point into.
  virtual std::shared_ptr<const void> storage() const = 0;
};

/// The weights of a model of this configuration. Throws what the source throws.
std::shared_ptr<const EngineWeights> assemble_weights(const ModelConfig& config,
                                                      WeightSource& source);

}  // namespace dietmt::nmt
