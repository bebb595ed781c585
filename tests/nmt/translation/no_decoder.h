// A decoder for tests that code lines and give the translations themselves.
#pragma once

#include <cstdint>
#include <memory>

#include "nmt/search/sentence_feed.h"
#include "nmt/translation/loaded_decoder.h"
#include "tests/data/fake_subwords.h"

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

/// A model of these subwords on both sides that translates nothing itself.
template <typename Subwords>
LoadedDecoder model_without_decoder(int64_t max_source, int64_t max_target) {
  const auto tokenizer = data::fake_tokenizer<Subwords>();
  return {.decoder = std::make_shared<NoDecoder>(max_source, max_target),
          .source_tokenizer = tokenizer,
          .target_tokenizer = tokenizer,
          .special = SpecialTokens::of(*tokenizer)};
}

}  // namespace dietmt::nmt
