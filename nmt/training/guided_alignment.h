// Guided alignment (Chen et al. 2016; Garg et al. 2019, section 3): one head of cross-attention
// learns to attend to the source tokens that a target token is linked with, from links that a word
// aligner made.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/corpus/parallel_corpus.h"

namespace dietmt::nmt {

/// Positions of a source and a target token.
struct TokenLink {
  int32_t source = 0;
  int32_t target = 0;

  auto operator<=>(const TokenLink&) const = default;
};

/// The links of the pairs of a training text, by target token. Several threads may ask.
class AlignmentGuide {
 public:
  virtual ~AlignmentGuide() = default;
  virtual std::vector<TokenLink> links(int64_t pair) const = 0;

  /// Tells links apart that the training text does not determine.
  virtual uint64_t content_hash() const { return 0; }
};

/// Links by the word aligner of data/shortlist/aligner.h, which is trained here on the text: each
/// target token is linked with its most probable source token, or with none. Equal for equal text,
/// whatever the number of threads. The text must outlive the guide.
std::shared_ptr<const AlignmentGuide> statistical_guide(const data::ParallelCorpus& text,
                                                        const data::Tokenizer& source,
                                                        const data::Tokenizer& target,
                                                        int64_t threads);

/// Links of words from a file with one line for each pair of the text, such as "0-0 2-1"
/// (SOURCE-TARGET, from 0). Words are those of words_of() in the lines of `corpora`, the
/// source of `text`, and all pieces of two linked words are linked. Throws DataError with file:line
/// for a pair that is none or names a word that its sentence does not have, another number of lines
/// than pairs, and a text with dropped pairs.
std::shared_ptr<const AlignmentGuide> read_alignment_guide(
    const std::string& file, const std::vector<data::CorpusFiles>& corpora,
    const data::ParallelCorpus& text, const data::Tokenizer& source, const data::Tokenizer& target,
    int64_t threads);

/// The links of a batch as places in its attention: the weights [T, S] of all sentences, each row
/// by row, end to end.
struct AlignmentTargets {
  at::Tensor places;   // [links] int64
  at::Tensor weights;  // [links] fp32: 1/|links of t|, times the weight of the pair
};

/// `targets`, `sources`: tokens of each sentence, T and S. `pair_weights`: empty: 1. Throws
/// DataError for links to other tokens. The copy to `device` is asynchronous.
AlignmentTargets alignment_targets(std::span<const int64_t> targets,
                                   std::span<const int64_t> sources,
                                   std::span<const std::vector<TokenLink>> links,
                                   std::span<const float> pair_weights, at::Device device);

/// - sum_t 1/|links of t| sum_(s,t) log p(s | t), over the target tokens t that have links (Garg et
/// al. 2019, eq. 5). attention: [T, S] of each sentence, with gradient. Returns a scalar.
at::Tensor alignment_loss(at::TensorList attention, const AlignmentTargets& targets);

}  // namespace dietmt::nmt
