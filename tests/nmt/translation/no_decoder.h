// A decoder for tests that code lines and give the translations themselves.
#pragma once

#include <cstdint>

#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

/// Only says what a model can read and write, in tokens.
class NoDecoder : public SentenceDecoder {
 public:
  NoDecoder(int64_t max_source, int64_t max_target)
      : max_source_(max_source), max_target_(max_target) {}

  int64_t max_source_length() const override { return max_source_; }
  int64_t max_target_length() const override { return max_target_; }
  bool aligns() const override { return true; }
  void run(SentenceFeed&, int64_t, int64_t, int64_t) const override {}

 private:
  int64_t max_source_;
  int64_t max_target_;
};

}  // namespace dietmt::nmt
