// Seeded nonsense in two related languages, and a tokenizer trained on it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/random.h"
#include "data/text/tokenizer.h"
#include "data/text/tokenizer_training.h"
#include "tests/common/scratch.h"

namespace dietmt::data {

struct ToyText {
  std::vector<std::string> source;
  std::vector<std::string> target;
};

inline std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

/// Sentences of 1 to 30 words out of 300; the target reverses the order and has umlauts.
inline ToyText toy_text(size_t lines, uint64_t seed) {
  static const char* const kSyllables[] = {"ba", "ko", "ri", "tu", "len", "sta", "mo", "vi"};
  Random random(random_key(seed, 17));
  ToyText text;
  for (size_t i = 0; i < lines; ++i) {
    std::string source, target;
    for (uint64_t words = 1 + random.below(30); words > 0; --words) {
      std::string word;
      for (uint64_t number = random.below(300) + 8; number > 0; number /= 8)
        word += kSyllables[number % 8];
      source += (source.empty() ? "" : " ") + word;
      target = word + "\xC3\xBC" + (target.empty() ? "" : " ") + target;
    }
    text.source.push_back(source);
    text.target.push_back(target);
  }
  return text;
}

/// Provides toy text, also as files, and a tokenizer for both sides, trained once.
class ToyTextTest : public ScratchTest {
 protected:
  ToyTextTest()
      : source_file_(write("toy.source", joined_lines(text_.source))),
        target_file_(write("toy.target", joined_lines(text_.target))) {
    if (tokenizer_) return;
    TokenizerOptions options;
    options.inputs = {source_file_, target_file_};
    options.vocabulary_size = 100;
    train_tokenizer(options, scratch() / "toy.model");
    tokenizer_ = std::make_unique<Tokenizer>(scratch() / "toy.model");
  }

  static const Tokenizer& tokenizer() { return *tokenizer_; }
  const std::string& source_file() const { return source_file_; }
  const std::string& target_file() const { return target_file_; }

  const ToyText text_ = toy_text(600, 1);

 private:
  static inline std::unique_ptr<Tokenizer> tokenizer_;
  std::string source_file_;
  std::string target_file_;
};

}  // namespace dietmt::data
