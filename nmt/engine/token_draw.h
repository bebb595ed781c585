// Draws one token from a row of scores, as nmt/batch_decoding/sampling.h does with tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "nmt/search/search_options.h"

namespace dietmt::nmt {

class TokenDraw {
 public:
  /// Room for the scores of `vocabulary` tokens.
  std::vector<float>& scores(int64_t vocabulary);

  /// The token that `uniform`, in [0, 1), chooses from scores(): log-probabilities, minus infinity
  /// where a token must not come. Throws DataError if no token has a finite score.
  int32_t draw(double uniform, const SearchOptions& options);

 private:
  int32_t draw_top_k(double uniform, const SearchOptions& options);
  int32_t draw_top_p(double uniform, const SearchOptions& options);
  double highest() const;
  void sort_first(size_t count);
  void cut_behind(double top_p);
  size_t invert(double uniform) const;

  std::vector<float> scores_;
  std::vector<int32_t> order_;   // tokens; the first ones are sorted, best first
  std::vector<double> weights_;  // of the tokens considered
};

}  // namespace dietmt::nmt
