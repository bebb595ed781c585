// The subword model of a translation model: converts text to piece ids and back.
//
//   const dietmt::Tokenizer tokenizer("model/tokenizer.model");
//   const std::vector<std::int32_t> ids = tokenizer.encode("Good morning.");
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dietmt/error.h"

namespace dietmt {

/// Immutable; threads can share it.
class DIETMT_API Tokenizer {
 public:
  /// `file`: a sentencepiece model, or the tokenizer of a model directory. Throws InputError.
  explicit Tokenizer(const std::string& file);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  /// Piece ids of a line, without begin or end of sentence.
  std::vector<std::int32_t> encode(std::string_view line) const;

  /// The pieces of a line as text: "▁Good", "▁morn", "ing", ".".
  std::vector<std::string> pieces(std::string_view line) const;

  /// Text of the ids, without begin and end of sentence. Like piece(), throws InputError for an id
  /// outside the vocabulary.
  std::string decode(const std::vector<std::int32_t>& ids) const;
  std::string piece(std::int32_t id) const;

  std::int64_t vocabulary_size() const;
  std::int32_t unknown_id() const;
  std::int32_t begin_id() const;
  std::int32_t end_id() const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace dietmt
