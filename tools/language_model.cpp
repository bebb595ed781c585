// Masked language models for dietmt rerank.
#include <memory>

#include "bert/model/model_directory.h"
#include "bert/prediction/pseudo_likelihood.h"
#include "common/error.h"
#include "data/text/bert_tokenizer.h"
#include "encoders/device/device.h"
#include "storage/checkpoint.h"
#include "tools/rerank_features.h"

namespace dietmt::tools {

LanguageModel language_model(const std::string& directory, const RerankModels& o,
                             const std::vector<std::string>&) {
  const auto model = bert::load_bert(directory, encoders::parse_device(o.device));
  if (!model->config().task_heads.masked_lm)
    throw ConfigError("--language-model " + directory +
                      " has no masked-LM head to give probabilities: use a pre-trained encoder");
  const auto scorer = std::make_shared<const bert::PseudoLikelihood>(
      model, data::load_bert_tokenizer(storage::resolve_model_directory(directory)),
      o.search.batch_tokens);
  return [scorer](std::span<const std::string> texts) { return scorer->mean_log_probs(texts); };
}

}  // namespace dietmt::tools
