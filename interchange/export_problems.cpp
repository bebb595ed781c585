#include "interchange/export_problems.h"

namespace dietmt::interchange {

std::vector<std::string> choices_of_dietmt(const nmt::ModelConfig& config,
                                           const std::string& program) {
  std::vector<std::string> problems;
  if (config.cross_position != "none")
    problems.push_back(program + " has no positions in cross-attention, as '" +
                       config.cross_position + "' is");
  const std::string not_written = " are not exported to " + program;
  if (config.norm_type == "rms") problems.push_back("RMS norms (--norm-type rms)" + not_written);
  if (config.qk_norm) problems.push_back("norms of queries and keys (--qk-norm)" + not_written);
  if (config.kv_heads > 0 && config.kv_heads != config.heads)
    problems.push_back("fewer heads of keys and values than of queries (--kv-heads)" + not_written);
  if (config.context > 0) problems.push_back(program + " has no sentences before (--context)");
  if (config.adapter_size > 0)
    problems.push_back(program + " has no adapters after the layers (--adapter-size)");
  return problems;
}

}  // namespace dietmt::interchange
