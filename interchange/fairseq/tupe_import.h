// The encoders that the authors of TUPE publish (Ke et al. 2021): checkpoints of their variant of
// fairseq, a BERT with TUPE-A or TUPE-R. Their text is split by BPE codes after Moses'
// tokenization, which encoders cannot use here, so there is no tokenizer.
#pragma once

#include <filesystem>
#include <memory>

#include "encoders/bert/bert.h"

namespace dietmt::interchange {

/// Reads a .pt file: sizes from its options, weights with the masked-LM head. Throws
/// CheckpointError naming the file, and the option or tensor at fault: also for pre-norm models,
/// those without a norm of the embeddings, and RoBERTa, whose names differ.
std::shared_ptr<encoders::Bert> import_tupe(const std::filesystem::path& checkpoint);

}  // namespace dietmt::interchange
