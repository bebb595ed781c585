#include "tools/corpus_mix.h"

#include "data/corpus/corpus_shares.h"

namespace dietmt::tools {

std::vector<std::string> CorpusMix::mix_problems(int64_t corpora) const {
  std::vector<std::string> found;
  if (!corpus_weights.empty() && sampling_temperature)
    found.emplace_back("--corpus-weights and --sampling-temperature cannot be combined");
  for (const std::string& problem : data::weight_problems(corpus_weights, corpora))
    found.push_back("--corpus-weights: " + problem);
  return found;
}

std::vector<double> CorpusMix::weights(std::span<const int64_t> sizes) const {
  if (sampling_temperature) return data::temperature_weights(sizes, *sampling_temperature);
  return corpus_weights;
}

void bind_corpus_mix(OptionTable& table, CorpusMix& o, const std::string& corpus,
                     const std::string& item) {
  table
      .add("corpus-weights", &o.corpus_weights, "W...",
           "relative sampling weights, one for each " + corpus + "; default: every " + item +
               " once per epoch",
           {.least = 0})
      .add("sampling-temperature", &o.sampling_temperature, "T",
           "sample corpora in proportion to size^(1/T); 1: by size, 5: upweight small corpora, "
           "100: nearly uniform",
           {.least = 0.01, .most = 1e6});
}

}  // namespace dietmt::tools
