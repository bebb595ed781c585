// A test tokenizer: one id per word of a list, and texts made of its words.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/random.h"
#include "data/text/bert_tokenizer.h"
#include "tests/common/scratch.h"

namespace dietmt::data {

constexpr int32_t kFirstWord = 5;  // after the special pieces

/// Splits text at spaces. A word "##..." continues the previous word, "~" gives no piece, and a
/// word outside the list is unknown.
class WordTokenizer : public BertTokenizer {
 public:
  explicit WordTokenizer(std::vector<std::string> words, int64_t separators = 1)
      : words_(std::move(words)) {
    special_.separators = separators;
    for (size_t i = 0; i < words_.size(); ++i)
      ids_[words_[i]] = kFirstWord + static_cast<int32_t>(i);
  }

  TextPieces encode(std::string_view text) const override {
    TextPieces pieces;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(' ', begin), text.size());
      const std::string word(text.substr(begin, end - begin));
      if (!word.empty() && word != "~") {
        const auto known = ids_.find(word);
        pieces.ids.push_back(known == ids_.end() ? special_.unknown : known->second);
        pieces.begins.push_back(static_cast<int32_t>(begin));
        pieces.ends.push_back(static_cast<int32_t>(end));
      }
      begin = end + 1;
    }
    return pieces;
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    for (const int32_t id : ids) {
      if (id >= kFirstWord) text += (text.empty() ? "" : " ") + piece(id);
    }
    return text;
  }

  int64_t vocabulary_size() const override { return kFirstWord + std::ssize(words_); }
  std::string piece(int32_t id) const override {
    return id < kFirstWord ? "[special]" : words_[static_cast<size_t>(id - kFirstWord)];
  }
  bool continues_word(int32_t id) const override { return piece(id).starts_with("##"); }
  const SpecialPieces& special() const override { return special_; }

  void save(const std::filesystem::path& directory) const override {
    std::string text;
    for (const std::string& word : words_) text += word + '\n';
    write_file_atomically(directory / "words.txt", text);
  }

 private:
  SpecialPieces special_;
  std::vector<std::string> words_;
  std::map<std::string, int32_t> ids_;
};

/// Words "w0", "w1", ...; their ids start at kFirstWord.
inline std::vector<std::string> numbered_words(int64_t count) {
  std::vector<std::string> words;
  for (int64_t i = 0; i < count; ++i) words.push_back("w" + std::to_string(i));
  return words;
}

/// Documents of 1 to 12 sentences of 1 to 20 words. The text contains every word of
/// numbered_words(words) once, in order.
inline std::string numbered_text(int64_t words, uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int64_t word = 0; word < words; text += '\n') {
    for (uint64_t sentences = 1 + random.below(12); sentences > 0 && word < words; --sentences) {
      for (uint64_t left = 1 + random.below(20); left > 0 && word < words; --left)
        text += 'w' + std::to_string(word++) + ' ';
      text += '\n';
    }
  }
  return text;
}

}  // namespace dietmt::data
