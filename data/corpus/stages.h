// Stages of a training run, each with its own mixture of the corpora: curricula, such as clean text
// after much noisy text.
//
//   # a comment
//   2 epochs: 1 0 0
//   20000 updates: 2 1 1
//   rest: 0 1 3
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::data {

struct Stage {
  int64_t epochs = 0, updates = 0;   // one of them; both 0: the last stage, without an end
  std::vector<double> weights = {};  // of the corpora (BatchOptions); empty: every pair once
};

/// Throws ConfigError with file:line if a line is wrong or has not one weight for each of `corpora`
/// corpora, and if the last line is not `rest` or another one is.
std::vector<Stage> read_stages(const std::string& file, int64_t corpora);

/// The stages as one line of text, in which only their meaning counts.
std::string stages_text(const std::vector<Stage>& stages);

}  // namespace dietmt::data
