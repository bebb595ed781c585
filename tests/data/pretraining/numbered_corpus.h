// A corpus that contains every word once, so that a token identifies its place.
#pragma once

#include <cstdint>
#include <string>

#include "data/pretraining/text_corpus.h"
#include "tests/data/pretraining/word_tokenizer.h"

namespace dietmt::data {

constexpr int64_t kWords = 5'000;

class NumberedCorpusTest : public ScratchTest {
 protected:
  NumberedCorpusTest()
      : tokenizer_(numbered_words(kWords)),
        corpus_({write("text", numbered_text(kWords, 1))}, tokenizer_, {}, scratch() / "cache", 1) {
  }

  TextCorpus corpus_of(const std::string& text) const {
    return TextCorpus({write("other", text)}, tokenizer_, {}, scratch() / "other_cache", 1);
  }

  bool is_word(int32_t id) const { return id >= kFirstWord; }

  /// Token number of a word in corpus_.
  static int64_t token_of(int32_t id) { return id - kFirstWord; }
  /// Document of a word in corpus_.
  int64_t document_of(int32_t id) const { return corpus_.document_of(token_of(id)); }

  /// Whether the word is the first of its sentence.
  bool begins_sentence(int32_t id) const {
    for (int64_t s = 0; s < corpus_.sentences(); ++s) {
      if (corpus_.first_token(s) == token_of(id)) return true;
    }
    return false;
  }

  const SpecialPieces special_;
  const WordTokenizer tokenizer_;
  const TextCorpus corpus_;
};

}  // namespace dietmt::data
