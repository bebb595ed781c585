// Pieces for tests that need no trained tokenizer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/text/source_text.h"
#include "data/text/subwords.h"

namespace dietmt::data {

/// Subword functions that tests rarely need; the others are encode_with_spans() and piece().
class FakeSubwords : public Subwords {
 public:
  std::vector<int32_t> encode(std::string_view text) const override {
    return encode_with_spans(text).ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    return decode_with_spans(ids).text;
  }
  SpannedText decode_with_spans(std::span<const int32_t> ids) const override {
    SpannedText made;
    for (const int32_t id : ids) {
      const auto begin = static_cast<int32_t>(made.text.size());
      made.text += piece(id);
      made.spans.push_back({begin, static_cast<int32_t>(made.text.size())});
    }
    return made;
  }
  int32_t unknown() const override { return 0; }
  int32_t begin() const override { return 1; }
  int32_t end() const override { return 2; }
  std::vector<int32_t> source_ending() const override { return {2}; }
  int32_t separator() const override { return -1; }
  bool is_tag(int32_t) const override { return false; }
  std::unique_ptr<const Subwords> with_separator(const std::string&) const override {
    return nullptr;
  }
  const std::string& serialized() const override { return none_; }
  const std::string& sentencepiece() const override { return none_; }

 private:
  std::string none_;
};

/// Each character is a piece whose id is its code, except that zero-width characters are not
/// pieces.
class CharacterSubwords : public FakeSubwords {
 public:
  SpannedPieces encode_with_spans(std::string_view text) const override {
    SpannedPieces pieces;
    for (const auto& one : source_characters(text, 0, static_cast<int32_t>(text.size()))) {
      if (one.code == U'\u200B' || one.code == U'\uFEFF') continue;
      pieces.ids.push_back(static_cast<int32_t>(one.code));
      pieces.spans.push_back({one.begin, one.end});
    }
    return pieces;
  }
  int64_t size() const override { return 128; }
  int32_t unknown() const override { return '#'; }
  std::string piece(int32_t id) const override {
    std::string text;
    if (id == end()) return "</s>";
    append_utf8(static_cast<char32_t>(id), text);
    return text;
  }
};

template <typename Pieces>
std::shared_ptr<const Tokenizer> fake_tokenizer() {
  return std::make_shared<const Tokenizer>("fake.model", std::make_unique<const Pieces>());
}

}  // namespace dietmt::data
