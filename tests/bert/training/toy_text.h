// A small text with documents for pre-training, and its tokenizer.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/pretraining/text_corpus.h"
#include "data/text/tokenizer_training.h"
#include "tests/common/scratch.h"

namespace dietmt::bert {

class ToyTextTest : public ScratchTest {
 protected:
  explicit ToyTextTest(int documents = 60) {
    std::string text;
    for (int document = 0; document < documents; ++document) {
      for (int sentence = 0; sentence < 5; ++sentence) {
        for (int word = 0; word < 4 + (document + sentence) % 5; ++word)
          text += "w" + std::to_string((document * 7 + sentence * 3 + word) % 20) + " ";
        text += "\n";
      }
      text += "\n";
    }
    const std::string file = write("text.txt", text);
    data::TokenizerOptions options;
    options.inputs = {file};
    options.vocabulary_size = 28;
    options.special = data::SpecialSet::kBert;
    data::train_tokenizer(options, scratch() / "tokenizer.model");
    tokenizer_ = data::load_bert_tokenizer(scratch() / "tokenizer.model");
    corpus_.emplace(std::vector<std::string>{file}, *tokenizer_, data::TextOptions{},
                    scratch() / "cache", 1);
  }

  std::span<const data::TextCorpus> texts() const { return {&*corpus_, 1}; }

  std::unique_ptr<data::BertTokenizer> tokenizer_;
  std::optional<data::TextCorpus> corpus_;
};

}  // namespace dietmt::bert
