#include "interchange/export_problems.h"

namespace dietmt::interchange {

std::vector<std::string> choices_of_dietmt(const nmt::ModelConfig& config,
                                           const std::string& program) {
  std::vector<std::string> problems;
  const auto refuse = [&](const std::string& feature) {
    problems.push_back(program + " does not support " + feature);
  };
  if (config.cross_position != "none")
    refuse("positions in cross-attention (--cross-position " + config.cross_position + ")");
  if (config.norm_type == "rms") refuse("RMS norms (--norm-type rms)");
  if (config.qk_norm) refuse("norms of queries and keys (--qk-norm)");
  if (config.kv_heads > 0 && config.kv_heads != config.heads)
    refuse("fewer key and value heads than query heads (--kv-heads)");
  if (config.head_width > 0 && config.head_width * config.heads != config.width)
    refuse("heads that are not as wide as the model together (head_width in config.json)");
  if (config.embedding_norm) refuse("norms of embeddings (embedding_norm in config.json)");
  if (config.activation == "gelu-tanh" || config.activation == "geglu-tanh")
    refuse("the activation " + config.activation);
  if (config.languages.target_before_target)
    refuse("translations that begin with their language (languages in config.json)");
  if (config.languages.always != nmt::LanguageTags())
    refuse("sentences that all begin with one piece (languages in config.json)");
  if (config.context > 0) refuse("document context (--context)");
  if (config.adapter_size > 0) refuse("adapters after the layers (--adapter-size)");
  return problems;
}

}  // namespace dietmt::interchange
