#include "interchange/export_problems.h"

namespace dietmt::interchange {

std::vector<std::string> choices_of_dietmt(const nmt::ModelConfig& config,
                                           const std::string& program) {
  std::vector<std::string> problems;
  if (config.cross_position != "none")
    problems.push_back(program + " has no positions in cross-attention, as '" +
                       config.cross_position + "' is");
  if (config.norm_type == "rms") problems.push_back(program + " has no RMS norm (--norm-type rms)");
  if (config.qk_norm) problems.push_back(program + " has no norm of queries and keys (--qk-norm)");
  if (config.kv_heads > 0 && config.kv_heads != config.heads)
    problems.push_back(program +
                       " has as many heads of keys and values as of queries (--kv-heads)");
  if (config.adapter_size > 0)
    problems.push_back(program + " has no adapters after the layers (--adapter-size)");
  return problems;
}

}  // namespace dietmt::interchange
