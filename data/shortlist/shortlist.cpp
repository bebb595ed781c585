#include "data/shortlist/shortlist.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "data/corpus/corpus_encoding.h"

namespace dietmt::data {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kMagic = 0x54534C54'524F4853;  // "SHORTLST" on a little-endian machine
constexpr uint32_t kVersion = 1;

// The file: header | always | bounds | ids | probabilities, all of 4-byte numbers.
struct Header {
  uint64_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t checksum = 0;  // CRC-32 of the header with this field 0, and of all that follows
  uint64_t source_fingerprint = 0;
  uint64_t target_fingerprint = 0;
  uint32_t source_vocabulary = 0;
  uint32_t target_vocabulary = 0;
  uint32_t always = 0;   // ids
  uint32_t entries = 0;  // ids of all rows
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 48);

uint64_t file_bytes(const Header& header) {
  const uint64_t numbers =
      uint64_t{header.always} + header.source_vocabulary + 1 + 2 * uint64_t{header.entries};
  return sizeof(Header) + 4 * numbers;
}

uint32_t checksum_of(Header header, const void* content, size_t bytes) {
  header.checksum = 0;
  const auto of_header = crc32_z(0, reinterpret_cast<const Bytef*>(&header), sizeof header);
  return static_cast<uint32_t>(crc32_z(of_header, static_cast<const Bytef*>(content), bytes));
}

template <typename T>
void append(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

bool all_below(std::span<const int32_t> ids, int64_t limit) {
  return std::all_of(ids.begin(), ids.end(), [&](int32_t id) { return 0 <= id && id < limit; });
}

}  // namespace

uint64_t vocabulary_fingerprint(const Tokenizer& tokenizer) {
  std::string pieces;
  for (int64_t id = 0; id < tokenizer.vocabulary_size(); ++id)
    pieces += tokenizer.piece(static_cast<int32_t>(id)) + '\n';
  return hash_of(pieces);
}

void write_shortlist(const fs::path& file, const ShortlistContent& content, const Tokenizer& source,
                     const Tokenizer& target) {
  std::string numbers;
  append(numbers, content.always);
  append(numbers, content.bounds);
  append(numbers, content.ids);
  append(numbers, content.probabilities);
  Header header;
  header.source_fingerprint = vocabulary_fingerprint(source);
  header.target_fingerprint = vocabulary_fingerprint(target);
  header.source_vocabulary = static_cast<uint32_t>(content.bounds.size() - 1);
  header.target_vocabulary = static_cast<uint32_t>(target.vocabulary_size());
  header.always = static_cast<uint32_t>(content.always.size());
  header.entries = static_cast<uint32_t>(content.ids.size());
  header.checksum = checksum_of(header, numbers.data(), numbers.size());
  write_file_atomically(
      file, std::string(reinterpret_cast<const char*>(&header), sizeof header) + numbers);
}

Shortlist::Shortlist(const fs::path& file, const VocabularyFingerprints& made_for) {
  try {
    file_ = std::make_unique<const MappedFile>(file);
  } catch (const Error& error) {
    throw DataError(error.what());
  }
  if (const char* wrong = problem(made_for)) throw DataError(file.string() + ": " + wrong);
}

const char* Shortlist::problem(const VocabularyFingerprints& made_for) {
  const std::string_view bytes = file_->bytes();
  Header header;
  if (bytes.size() < sizeof header) return "is not a shortlist";
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) return "is not a shortlist";
  if (header.version != kVersion)
    return "is a shortlist of another version of dietmt; create it again";
  const char* content = bytes.data() + sizeof header;
  if (bytes.size() != file_bytes(header) ||
      header.checksum != checksum_of(header, content, bytes.size() - sizeof header))
    return "is damaged: its size or checksum is wrong";
  if (header.source_fingerprint != made_for.source || header.target_fingerprint != made_for.target)
    return "was made for other vocabularies than the model's";

  const auto take = [&]<typename T>(std::span<const T>& numbers, size_t count) {
    numbers = {reinterpret_cast<const T*>(content), count};
    content += numbers.size_bytes();
  };
  take(always_, header.always);
  take(bounds_, header.source_vocabulary + size_t{1});
  take(ids_, header.entries);
  take(probabilities_, header.entries);
  target_vocabulary_ = header.target_vocabulary;
  if (bounds_.front() != 0 || bounds_.back() != header.entries ||
      !std::is_sorted(bounds_.begin(), bounds_.end()) || !all_below(always_, target_vocabulary_) ||
      !all_below(ids_, target_vocabulary_))
    return "is damaged: it names ids that do not exist";
  return nullptr;
}

std::span<const int32_t> Shortlist::ids(int32_t source) const {
  const auto at = static_cast<size_t>(source);
  return ids_.subspan(bounds_[at], bounds_[at + 1] - bounds_[at]);
}

std::span<const float> Shortlist::probabilities(int32_t source) const {
  const auto at = static_cast<size_t>(source);
  return probabilities_.subspan(bounds_[at], bounds_[at + 1] - bounds_[at]);
}

void Shortlist::candidates(std::span<const int32_t> source,
                           std::vector<int32_t>& sorted_ids) const {
  // A bit for each target id: reading them in order sorts the ids and removes repetitions.
  std::vector<uint64_t> chosen(static_cast<size_t>(target_vocabulary_ + 63) / 64);
  const auto choose = [&](std::span<const int32_t> ids) {
    for (const int32_t id : ids) chosen[static_cast<size_t>(id) / 64] |= uint64_t{1} << (id % 64);
  };
  choose(always_);
  for (const int32_t id : source)
    if (0 <= id && id < source_vocabulary()) choose(ids(id));

  sorted_ids.clear();
  for (size_t word = 0; word < chosen.size(); ++word) {
    for (uint64_t bits = chosen[word]; bits != 0; bits &= bits - 1)
      sorted_ids.push_back(static_cast<int32_t>(word) * 64 + std::countr_zero(bits));
  }
}

}  // namespace dietmt::data
