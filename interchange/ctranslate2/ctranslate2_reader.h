// Reads CTranslate2's model.bin, binary versions 1 to 6 (ctranslate2_file.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

struct CTranslate2Model {
  uint32_t version = 0;   // of the file format
  std::string kind;       // such as TransformerSpec
  uint32_t revision = 0;  // of the kind
  TensorsByName variables;

  /// A variable without dimensions or a default value.
  double number(const std::string& name, double otherwise) const;
};

/// The variables in their own types, aliases included; tensors with two names share memory.
/// Throws CheckpointError with what is wrong, without the file's name.
CTranslate2Model read_ctranslate2(std::string_view bytes);

/// The tensors of the model in fp32: integers are divided by their scales. Throws CheckpointError
/// that names the tensor.
TensorsByName dequantized(const CTranslate2Model& model);

}  // namespace dietmt::interchange
