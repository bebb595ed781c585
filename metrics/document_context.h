// Sentences before each sentence of a test set that a metric also reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dietmt::metrics {

struct DocumentContext {
  size_t sentences = 0;                // at most
  std::vector<size_t> documents = {};  // of each sentence; the context is of the same one

  /// How many sentences before sentence i are its context.
  size_t before(size_t i) const {
    size_t count = 0;
    while (count < std::min(sentences, i) && documents[i - count - 1] == documents[i]) ++count;
    return count;
  }
};

}  // namespace dietmt::metrics
