// A test tokenizer with one piece per word between white space.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "data/text/bert_tokenizer.h"

namespace dietmt::data {

/// Words get ids from 5 in order of first occurrence.
class SpaceTokenizer : public BertTokenizer {
 public:
  TextPieces encode(std::string_view text) const override {
    constexpr std::string_view kSpace = " \t\n";
    TextPieces pieces;
    for (size_t begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;) {
      const size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
      const auto next = static_cast<int32_t>(5 + ids_.size());
      const auto [word, is_new] = ids_.emplace(std::string(text.substr(begin, end - begin)), next);
      pieces.ids.push_back(word->second);
      pieces.begins.push_back(static_cast<int32_t>(begin));
      pieces.ends.push_back(static_cast<int32_t>(end));
      begin = text.find_first_not_of(kSpace, end);
    }
    return pieces;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    for (const int32_t id : ids) text += (text.empty() ? "" : " ") + piece(id);
    return text;
  }
  int64_t vocabulary_size() const override { return static_cast<int64_t>(5 + ids_.size()); }
  std::string piece(int32_t id) const override {
    for (const auto& [word, known] : ids_)
      if (known == id) return word;
    return "[" + std::to_string(id) + "]";
  }
  bool continues_word(int32_t) const override { return false; }
  const SpecialPieces& special() const override { return special_; }
  void save(const std::filesystem::path&) const override {}

 private:
  mutable std::map<std::string, int32_t, std::less<>> ids_;
  SpecialPieces special_;
};

}  // namespace dietmt::data
