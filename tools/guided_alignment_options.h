// How `dietmt train` teaches a head of cross-attention to align words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/options.h"
#include "data/corpus/parallel_corpus.h"
#include "nmt/model/config.h"
#include "nmt/model/model_files.h"
#include "nmt/training/guided_alignment.h"
#include "nmt/training/translation_task.h"

namespace dietmt::tools {

struct GuidedAlignmentOptions {
  std::string guided_alignment;  // "auto", or a file; empty: none
  double guided_alignment_weight = nmt::TranslationTaskOptions().guide_weight;
  int64_t guided_alignment_layer = 0;  // from 1; 0: the last but one

  bool guided() const { return !guided_alignment.empty(); }
  bool guided_by_file() const { return guided() && guided_alignment != "auto"; }

  /// What does not fit together, one sentence each. `draws_pairs`: each epoch has other pieces;
  /// `has_tags`: the sources begin with tags.
  std::vector<std::string> problems(const nmt::ModelConfig& model, bool draws_pairs,
                                    bool has_tags) const;

  /// Which head of `model` aligns.
  void set_head(nmt::ModelConfig& model) const;

  /// The links of the training text, which must outlive them; null: none. `files`: those of
  /// `train`.
  std::shared_ptr<const nmt::AlignmentGuide> guide(const std::vector<data::CorpusFiles>& files,
                                                   const data::ParallelCorpus& train,
                                                   const nmt::Tokenizers& tokenizers,
                                                   int64_t threads) const;
};

/// Adds them to the current group.
void bind_guided_alignment(OptionTable& table, GuidedAlignmentOptions& o);

}  // namespace dietmt::tools
