// The position encoding that a stack of a CTranslate2 model has, as a spec of dietmt and its
// parameters.
#pragma once

#include <string>

#include "interchange/ctranslate2/ctranslate2_reader.h"
#include "interchange/foreign_tensors.h"
#include "nmt/model/config.h"

namespace dietmt::interchange {

struct ImportedPosition {
  std::string spec;
  int64_t max_positions = 0;      // of a learned table; 0: the encoding has no table
  TensorsByName parameters = {};  // by the last part of our names: "table", "keys", "values"
};

/// `scope`: "encoder" or "decoder". Without any variables the positions are CTranslate2's sinusoids
/// from 1 on. A table of sinusoids becomes the encoding, which has no limit; others are learned.
/// Throws CheckpointError naming an encoding that cannot be imported.
ImportedPosition import_position(const std::string& scope, const nmt::ModelConfig& config,
                                 int64_t layers, const CTranslate2Model& model,
                                 ForeignTensors& tensors);

}  // namespace dietmt::interchange
