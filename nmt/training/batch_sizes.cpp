#include "nmt/training/batch_sizes.h"

#include "training/loop/filled_sizes.h"

namespace dietmt::nmt {

std::vector<int64_t> BatchSizes::list() const {
  const encoders::PackingSizes sides[] = {source, target};
  return training::list_of(sides);
}

FilledBatch fill_up(const data::ParallelBatch& pairs, const LongestSentences& longest) {
  const training::GivenSentences sides[] = {{pairs.source, longest.source},
                                            {pairs.target, longest.target}};
  const std::vector<encoders::PackingSizes> sizes = training::filled_sizes(sides);
  FilledBatch filled{pairs, {sizes[0], sizes[1]}};
  training::append_fillers(filled.pairs.source, filled.sizes.source);
  training::append_fillers(filled.pairs.target, filled.sizes.target);
  return filled;
}

}  // namespace dietmt::nmt
