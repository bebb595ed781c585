// All outputs of a BERT of Hugging Face's transformers for a packed batch, for bert_parity.py.
//
//   bert_states --model DIR --batch FILE --output FILE [--export DIR]
//
// The batch has the tensors pieces [N], segments [N] and lengths [B]; with --export, the model is
// also written back in their format.
#include <ATen/ATen.h>

#include "bench/benchmark.h"
#include "common/files.h"
#include "common/options.h"
#include "encoders/weights/safetensors.h"
#include "interchange/huggingface/bert_huggingface.h"
#include "tests/interchange/bert_outputs.h"

using namespace dietmt;

int main(int argc, char** argv) {
  std::string directory, batch, output, exported;
  OptionTable table("bert_states", "--model DIR --batch FILE --output FILE [--export DIR]",
                    "Writes all outputs of a model of transformers for a packed batch.");
  table.add("model", &directory, "DIR", "config.json and model.safetensors")
      .add("batch", &batch, "FILE", "pieces, segments and lengths (safetensors)")
      .add("output", &output, "FILE", "the outputs (safetensors)")
      .add("export", &exported, "DIR", "an existing directory for the model");
  return bench::run_benchmark(table, argc, argv, [&] {
    const auto model = interchange::import_huggingface(directory);
    const interchange::NamedOutputs outputs =
        interchange::outputs_of(*model, encoders::load_safetensors(batch));
    encoders::save_safetensors(output, {outputs.begin(), outputs.end()});
    if (!exported.empty()) interchange::export_huggingface(exported, *model, nullptr);
  });
}
