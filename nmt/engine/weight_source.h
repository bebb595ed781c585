// The interface by which the engine gets its weights, by the names of the model's parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/packed_linear.h"
#include "nmt/engine/engine_model.h"

namespace dietmt::nmt {

struct ModelConfig;

/// The rows of a matrix parameter that form one layer: all of them, or `outputs` from `first` on.
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

  /// Returns the same panels each time for the same rows.
  virtual kernels::PackedWeights matrix(const WeightRows& rows) = 0;

  /// A parameter of `count` numbers.
  virtual const float* numbers(const std::string& parameter, int64_t count) = 0;

  /// Owns what all pointers returned so far point to.
  virtual std::shared_ptr<const void> storage() const = 0;
};

/// The weights of a model of this configuration. Passes on the exceptions of the source.
std::shared_ptr<const EngineWeights> assemble_weights(const ModelConfig& config,
                                                      WeightSource& source);

}  // namespace dietmt::nmt
