// All outputs of a BERT of Hugging Face's transformers for a packed batch, for bert_parity.py.
//
//   bert_states --model DIR --batch FILE --output FILE [--export DIR]
//
// The batch has the tensors pieces [N], segments [N] and lengths [B]; with --export, the model is
// also written back in their format.
#include <torch/torch.h>

#include <iostream>

#include "bert/model/huggingface.h"
#include "common/error.h"
#include "common/files.h"
#include "common/logging.h"
#include "common/options.h"
#include "tests/bert/model/outputs.h"
#include "training/safetensors.h"

namespace {

using namespace dietmt;

int run(const std::vector<std::string>& arguments) {
  std::string model_directory, batch, output, exported;
  OptionTable table("bert_states", "--model DIR --batch FILE --output FILE [--export DIR]",
                    "Writes all outputs of a model of transformers for a packed batch.");
  table.add("model", &model_directory, "DIR", "config.json and model.safetensors")
      .add("batch", &batch, "FILE", "pieces, segments and lengths (safetensors)")
      .add("output", &output, "FILE", "the outputs (safetensors)")
      .add("export", &exported, "DIR", "an existing directory for the model");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  const auto model = bert::import_huggingface(model_directory);
  const bert::NamedOutputs outputs = bert::outputs_of(*model, training::load_safetensors(batch));
  training::save_safetensors(output, {outputs.begin(), outputs.end()});
  if (!exported.empty()) bert::export_huggingface(exported, *model, nullptr);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  init_logging();
  try {
    return run({arguments + 1, arguments + count});
  } catch (const Error& error) {
    std::cerr << "bert_states: " << error.what() << '\n';
    return 1;
  }
}
