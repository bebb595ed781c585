#include "tools/decoding_options.h"

#include "common/checks.h"

namespace dietmt::tools {

void add_decoding_device(OptionTable& table, std::string& device, std::string& weights) {
  table.add("device", &device, "NAME", "cpu, cuda or cuda:I")
      .add("weights", &weights, "NAME",
           "fp32, bf16 or int8: what the weights are rounded to on the CPU when they are loaded; "
           "auto: fp32, or what 'dietmt quantize' made of them");
}

void add_decoding_workers(OptionTable& table, int64_t& workers, int64_t& batch_tokens) {
  table
      .add("workers", &workers, "N",
           "decode side by side on the CPU, with one copy of the weights; 0: one per core")
      .add("batch-tokens", &batch_tokens, "N",
           "source tokens decoded together, per worker; changes speed and memory, not results: "
           "a GPU wants more");
}

void add_worker_threads(OptionTable& table, int64_t& threads) {
  table.add("threads", &threads, "N",
            "threads of each worker: more make a single sentence faster, more workers a file");
}

void check_weights(const std::string& weights, std::vector<std::string>& problems) {
  check_choice(problems, "--weights", weights, {"auto", "fp32", "bf16", "int8"});
}

}  // namespace dietmt::tools
