#include "tools/execution_options.h"

namespace dietmt::tools {

void add_precision(OptionTable& table, std::string& precision) {
  table.add("precision", &precision, "", "precision of matrix products; weights stay in fp32",
            {.choices = {"fp32", "bf16"}});
}

void add_attention_backend(OptionTable& table, std::string& backend) {
  table.add("attention-backend", &backend, "", "implementation of attention",
            {.choices = {"auto", "cpu", "cuda", "sdpa", "reference"}});
}

int64_t parameter_count(const torch::nn::Module& model) {
  int64_t count = 0;
  for (const auto& parameter : model.parameters()) count += parameter.numel();
  return count;
}

}  // namespace dietmt::tools
