// The names of tensors in OpenNMT-py and eole.
#pragma once

#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

inline constexpr const char* kOpennmtTables[] = {"src_emb.embeddings.weight",
                                                 "tgt_emb.embeddings.weight"};
inline constexpr const char* kOpennmtPositions[] = {"src_emb.pe.", "tgt_emb.pe."};
inline constexpr const char* kOpennmtOutput = "generator.weight";
inline constexpr const char* kOpennmtOutputBias = "generator.bias";

/// eole's.
const LayerNames& opennmt_names();

/// The tensors of all versions of OpenNMT-py under eole's names.
TensorsByName with_eole_names(const TensorsByName& tensors);

}  // namespace dietmt::interchange
