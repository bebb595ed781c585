#include "tools/guided_alignment_options.h"

#include <algorithm>
#include <filesystem>

namespace dietmt::tools {

void bind_guided_alignment(OptionTable& table, GuidedAlignmentOptions& o) {
  table
      .add("guided-alignment", &o.guided_alignment, "auto|FILE",
           "train one cross-attention head to align words, for translate --alignment and "
           "--markup. auto: learn from the word aligner of 'dietmt align'; FILE: learn from "
           "word pairs SOURCE-TARGET, one line for each training pair")
      .add("guided-alignment-weight", &o.guided_alignment_weight, "W",
           "weight of the alignment loss", {.above = 0, .most = 100})
      .add("guided-alignment-layer", &o.guided_alignment_layer, "N",
           "decoder layer of that head, counted from 1; 0: the last but one",
           {.least = 0, .most = 1000});
}

std::vector<std::string> GuidedAlignmentOptions::problems(const nmt::ModelConfig& model,
                                                          bool draws_pairs, bool has_tags) const {
  std::vector<std::string> found;
  if (guided_alignment_layer > model.decoder_layers)
    found.push_back("--guided-alignment-layer " + std::to_string(guided_alignment_layer) +
                    " is above --decoder-layers " + std::to_string(model.decoder_layers));
  const GuidedAlignmentOptions defaults;
  if (!guided() && (guided_alignment_layer != defaults.guided_alignment_layer ||
                    guided_alignment_weight != defaults.guided_alignment_weight))
    found.emplace_back(
        "--guided-alignment-weight and --guided-alignment-layer need --guided-alignment");
  if (guided() && model.context > 0)
    found.emplace_back(
        "--guided-alignment links the words of single sentences: leave out --context");
  if (guided() && draws_pairs)
    found.emplace_back(
        "--guided-alignment links the pieces of one segmentation: leave out --subword-sampling, "
        "--bpe-dropout and --augment");
  if (guided_by_file() && !std::filesystem::exists(guided_alignment))
    found.push_back("--guided-alignment " + guided_alignment + ": no such file");
  if (guided_by_file() && has_tags)
    found.emplace_back("--guided-alignment FILE does not know source tags: use auto");
  return found;
}

void GuidedAlignmentOptions::set_head(nmt::ModelConfig& model) const {
  if (!guided()) return;
  model.alignment_head = 1;
  model.alignment_layer = guided_alignment_layer > 0
                              ? guided_alignment_layer
                              : std::max<int64_t>(model.decoder_layers - 1, 1);
}

std::shared_ptr<const nmt::AlignmentGuide> GuidedAlignmentOptions::guide(
    const std::vector<data::CorpusFiles>& files, const data::ParallelCorpus& train,
    const nmt::Tokenizers& tokenizers, int64_t threads) const {
  if (!guided()) return nullptr;
  if (guided_by_file())
    return nmt::read_alignment_guide(guided_alignment, files, train, *tokenizers.source,
                                     *tokenizers.target, threads);
  return nmt::statistical_guide(train, *tokenizers.source, *tokenizers.target, threads);
}

}  // namespace dietmt::tools
