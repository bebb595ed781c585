// The target ids that a translation of given source ids may use: a few tens of likely translations
// of each source id and the most frequent ids of all. A decoder that computes the output layer for
// only these ids saves most of the work if the vocabulary is large (docs/shortlist.md).
//
//   const Shortlist shortlist("shortlist.bin", source_tokenizer, target_tokenizer);
//   shortlist.candidates(source_ids, ids);
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "common/files.h"
#include "data/text/tokenizer.h"

namespace dietmt::data {

/// The name in a model directory of the shortlist that belongs to the model.
inline constexpr const char* kShortlistFile = "shortlist.bin";

/// The content of a shortlist file.
struct ShortlistContent {
  std::vector<int32_t> always;         // ids that every shortlist has, ascending
  std::vector<uint32_t> bounds = {0};  // [source vocabulary + 1]; of the rows below
  std::vector<int32_t> ids;            // of each source id, most probable first
  std::vector<float> probabilities;    // p(id | source id); 0 for a copy of the source piece
};

/// A number that tells vocabularies apart: a hash of the pieces in the order of their ids.
uint64_t vocabulary_fingerprint(const Tokenizer& tokenizer);

/// Writes `content` atomically, for these vocabularies. Throws Error naming the file.
void write_shortlist(const std::filesystem::path& file, const ShortlistContent& content,
                     const Tokenizer& source, const Tokenizer& target);

/// The vocabularies that a shortlist file was made for.
struct VocabularyFingerprints {
  uint64_t source = 0;
  uint64_t target = 0;
};

/// A shortlist file, mapped into memory: immutable and safe to share between threads; processes
/// share its memory.
class Shortlist {
 public:
  /// Throws DataError naming the file if it cannot be read, is not a shortlist, is damaged, or was
  /// made for other vocabularies.
  Shortlist(const std::filesystem::path& file, const Tokenizer& source, const Tokenizer& target)
      : Shortlist(file, {vocabulary_fingerprint(source), vocabulary_fingerprint(target)}) {}
  Shortlist(const std::filesystem::path& file, const VocabularyFingerprints& made_for);

  /// Sets `sorted_ids` to the ids that translations of these source ids may use, ascending and
  /// without repetition. End of sentence is always among them; unknown and begin of sentence are
  /// not, except in imported lists. `source` may be the ids of several sentences, for one list that
  /// serves them all. Source ids outside the vocabulary are ignored.
  void candidates(std::span<const int32_t> source, std::vector<int32_t>& sorted_ids) const;

  /// The ids that every list has, ascending.
  std::span<const int32_t> always() const { return always_; }

  /// The candidates of one source id, most probable first, and their probabilities.
  std::span<const int32_t> ids(int32_t source) const;
  std::span<const float> probabilities(int32_t source) const;

  int64_t source_vocabulary() const { return std::ssize(bounds_) - 1; }
  int64_t target_vocabulary() const { return target_vocabulary_; }

 private:
  // What is wrong with the mapped bytes, or null.
  const char* problem(const VocabularyFingerprints& made_for);

  std::unique_ptr<const MappedFile> file_;
  int64_t target_vocabulary_ = 0;
  std::span<const int32_t> always_;
  std::span<const uint32_t> bounds_;  // [source vocabulary + 1]
  std::span<const int32_t> ids_;
  std::span<const float> probabilities_;
};

}  // namespace dietmt::data
