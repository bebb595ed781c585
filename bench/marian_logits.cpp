// The logits of a translation model for a packed batch, for marian_parity.py.
//
//   marian_logits --model DIR --batch FILE --output FILE
//
// The batch has the tensors source [M], source_lengths [B], target [N] and target_lengths [B]; the
// output has logits [N, V].
#include <torch/torch.h>

#include <iostream>

#include "common/error.h"
#include "common/logging.h"
#include "common/options.h"
#include "nmt/model/model_directory.h"
#include "tests/nmt/exchange/outputs.h"
#include "training/safetensors.h"

namespace {

using namespace dietmt;

int run(const std::vector<std::string>& arguments) {
  std::string model_directory, batch, output;
  OptionTable table("marian_logits", "--model DIR --batch FILE --output FILE",
                    "Writes the logits of a model for a packed batch.");
  table.add("model", &model_directory, "DIR", "the model")
      .add("batch", &batch, "FILE", "source, target and their lengths (safetensors)")
      .add("output", &output, "FILE", "the logits (safetensors)");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  const nmt::LoadedModel loaded = nmt::load_model(model_directory);
  const at::Tensor logits = nmt::logits_of(*loaded.model, training::load_safetensors(batch));
  training::save_safetensors(output, {{"logits", logits}});
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  init_logging();
  try {
    return run({arguments + 1, arguments + count});
  } catch (const Error& error) {
    std::cerr << "marian_logits: " << error.what() << '\n';
    return 1;
  }
}
