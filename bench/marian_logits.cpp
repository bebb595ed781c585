// The logits of a translation model for a packed batch, for marian_parity.py.
//
//   marian_logits --model DIR --batch FILE --output FILE
//
// The batch has the tensors source [M], source_lengths [B], target [N] and target_lengths [B]; the
// output has logits [N, V].
#include <ATen/ATen.h>

#include "bench/benchmark.h"
#include "common/options.h"
#include "encoders/weights/safetensors.h"
#include "nmt/network/model_directory.h"
#include "tests/interchange/outputs.h"

using namespace dietmt;

int main(int argc, char** argv) {
  std::string directory, batch, output;
  OptionTable table("marian_logits", "--model DIR --batch FILE --output FILE",
                    "Writes the logits of a model for a packed batch.");
  table.add("model", &directory, "DIR", "the model")
      .add("batch", &batch, "FILE", "source, target and their lengths (safetensors)")
      .add("output", &output, "FILE", "the logits (safetensors)");
  return bench::run_benchmark(table, argc, argv, [&] {
    const nmt::LoadedModel loaded = nmt::load_model(directory);
    const at::Tensor logits =
        interchange::logits_of(*loaded.model, encoders::load_safetensors(batch));
    encoders::save_safetensors(output, {{"logits", logits}});
  });
}
