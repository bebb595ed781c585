#include "data/text/sentence_context.h"

namespace dietmt::data {

void ContextWindow::add(std::span<const int32_t> sentence) {
  if (most_ == 0) return;
  if (size() == most_) sentences_.pop_front();
  sentences_.emplace_back(sentence.begin(), sentence.end());
}

int64_t ContextWindow::fitting(int64_t own, int64_t max_tokens) const {
  int64_t count = 0;
  for (auto sentence = sentences_.rbegin(); sentence != sentences_.rend(); ++sentence, ++count) {
    own += static_cast<int64_t>(sentence->size()) + 1;
    if (own > max_tokens) break;
  }
  return count;
}

std::vector<int32_t> ContextWindow::last(int64_t count, int32_t separator) const {
  std::vector<int32_t> tokens;
  for (auto sentence = sentences_.end() - count; sentence != sentences_.end(); ++sentence) {
    tokens.insert(tokens.end(), sentence->begin(), sentence->end());
    tokens.push_back(separator);
  }
  return tokens;
}

}  // namespace dietmt::data
