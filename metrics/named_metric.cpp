#include "metrics/named_metric.h"

#include "common/error.h"
#include "metrics/bleu.h"
#include "metrics/mecab.h"

namespace dietmt::metrics {
namespace {

std::unique_ptr<Metric> make_bleu(const MetricOptions& o) {
  BleuOptions bleu;
  bleu.given_tokenizer = o.given_tokenizer;
  if (!bleu.given_tokenizer && is_mecab_tokenizer(o.tokenize))
    bleu.given_tokenizer = mecab_tokenizer(o.tokenize, o.mecab_dictionary);
  if (!bleu.given_tokenizer) bleu.tokenizer = bleu_tokenizer_from_name(o.tokenize);
  bleu.lowercase = o.lowercase;
  bleu.smoothing = smoothing_from_name(o.smooth);
  bleu.smoothing_value = o.smooth_value;
  bleu.max_order = o.max_order;
  bleu.effective_order = o.effective_order;
  return std::make_unique<Bleu>(bleu);
}

}  // namespace

std::unique_ptr<Metric> make_metric(const std::string& name, const MetricOptions& options) {
  if (name == "bleu") return make_bleu(options);
  if (name == "ter") return std::make_unique<Ter>(options.ter);
  ChrfOptions chrf = options.chrf;
  chrf.lowercase = options.lowercase;
  if (name == "chrf++") chrf.word_order = 2;
  if (name == "chrf" || name == "chrf++") return std::make_unique<Chrf>(chrf);
  throw ConfigError("unknown metric '" + name + "' in --metric; choose bleu, chrf, chrf++ or ter");
}

}  // namespace dietmt::metrics
