// Models of Marian with fp32 weights: a .npz or .bin file with the weights and the options of the
// training, and vocabularies beside it.
#pragma once

#include "interchange/marian/marian_tokenizer.h"
#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Marian starts its decoder from zeros: here that is a piece more, which stands for begin of
/// sentence and is never generated. Throws CheckpointError or DataError naming the file and what is
/// missing, does not fit, or is not known here.
nmt::LoadedModel import_marian(const MarianFiles& files);

}  // namespace dietmt::interchange
