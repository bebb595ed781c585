// A loaded sentencepiece model, for the tokenizers of this folder.
#pragma once

#include <sentencepiece_processor.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// Throws DataError naming the file.
std::string read_model_file(const std::filesystem::path& file);

/// At most `most` bytes of a line, which is not empty, up to a space or the end of a character.
std::string_view first_part(std::string_view line, size_t most);

class SentencePieceModel {
 public:
  /// Throws DataError naming the file.
  explicit SentencePieceModel(const std::filesystem::path& file);

  /// The bytes of a model file; `where` names them in errors.
  SentencePieceModel(std::string bytes, const std::string& where);

  const sentencepiece::SentencePieceProcessor& processor() const { return processor_; }

  /// The model file's bytes.
  const std::string& serialized() const { return serialized_; }

  /// Throws Error where the id is outside the vocabulary.
  void check(int32_t id) const;

  /// The pieces of a text with their bytes in it.
  sentencepiece::ImmutableSentencePieceText encode(std::string_view text) const;

  /// The text of pieces with their bytes in it.
  sentencepiece::ImmutableSentencePieceText decode_with_spans(
      const std::vector<std::string>& pieces) const;

  /// Text of pieces given by their ids or names.
  std::string decode(const std::vector<int>& ids) const;
  std::string decode(const std::vector<std::string>& pieces) const;

 private:
  sentencepiece::SentencePieceProcessor processor_;
  std::string serialized_;
};

}  // namespace dietmt::data
