// Draws one token from a row of scores, as draw_tokens() of nmt/tensor_decoding/sampling.h does
// with tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nmt/search/search_options.h"

namespace dietmt::nmt {

class TokenDraw {
 public:
  /// Room for the scores of `vocabulary` tokens.
  std::vector<float>& scores(int64_t vocabulary);

  /// The token that `uniform`, in [0, 1), chooses from scores(): log-probabilities, minus infinity
  /// for a forbidden token. Throws DataError if no token has a finite score.
  int32_t draw(double uniform, const SearchOptions& options);

 private:
  void weigh(double temperature);
  void drop_improbable(double epsilon);
  int32_t draw_top_k(double uniform, const SearchOptions& options);
  int32_t draw_top_p(double uniform, const SearchOptions& options);
  void sort_first(size_t count);
  void take_first(size_t count, double top_p, double total);

  std::vector<float> scores_;
  std::vector<float> cooled_;   // scores divided by the temperature
  std::vector<float> weights_;  // of all tokens, 1 for the best
  std::vector<int32_t> order_;  // tokens; the first ones are sorted, best first
  std::vector<float> nucleus_;  // weights of the first of them
};

}  // namespace dietmt::nmt
