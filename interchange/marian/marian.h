// Marian models with fp32 weights: a .npz or .bin file with the weights and the training options,
// and separate vocabularies.
#pragma once

#include "interchange/marian/marian_tokenizer.h"
#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Marian's decoder starts from zeros. Here that is an additional piece, which stands for begin of
/// sentence and is never generated. Throws CheckpointError or DataError naming the file and what is
/// missing, does not match or is not supported.
nmt::LoadedModel import_marian(const MarianFiles& files);

}  // namespace dietmt::interchange
