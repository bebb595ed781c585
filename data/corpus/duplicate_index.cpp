#include "data/corpus/duplicate_index.h"

#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/system.h"

namespace dietmt::data {

// Open addressing. A key's place is that of its first bits, so that a table of twice the size has
// all keys in the same order, and copying goes through both files from start to end.
class DuplicateIndex::Table : public UnnamedFile {
 public:
  Table(const std::filesystem::path& directory, int bits)
      : UnnamedFile(directory / "duplicates"), bits_(bits) {
    const size_t bytes = slot_count() * sizeof(uint64_t);
    // Without space on the disk, writing to the mapping would end the program.
    if (const int error = reserve_disk_space(file_.number(), bytes))
      throw Error(directory.string() +
                  ": no space for the table of duplicates: " + std::strerror(error));
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
    if (memory == MAP_FAILED)
      throw Error(directory.string() +
                  ": the table of duplicates cannot be mapped: " + std::strerror(errno));
    slots_ = {static_cast<uint64_t*>(memory), slot_count()};
  }
  ~Table() { ::munmap(slots_.data(), slots_.size_bytes()); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  size_t slot_count() const { return size_t{1} << bits_; }
  int bits() const { return bits_; }
  std::span<const uint64_t> slots() const { return slots_; }

  /// The slot that holds the key, or the free one where it belongs.
  uint64_t& slot_of(uint64_t key) const {
    size_t at = key >> (64 - bits_);
    while (slots_[at] != 0 && slots_[at] != key) at = (at + 1) & (slot_count() - 1);
    return slots_[at];
  }

 private:
  int bits_;
  std::span<uint64_t> slots_;  // 0: free
};

namespace {

constexpr int kFirstBits = 16;

uint64_t stored(uint64_t key) { return key == 0 ? 1 : key; }

}  // namespace

DuplicateIndex::DuplicateIndex(std::filesystem::path directory)
    : directory_(std::move(directory)), table_(std::make_unique<Table>(directory_, kFirstBits)) {}

DuplicateIndex::~DuplicateIndex() = default;

bool DuplicateIndex::contains(uint64_t key) const { return table_->slot_of(stored(key)) != 0; }

void DuplicateIndex::insert(uint64_t key) {
  uint64_t& slot = table_->slot_of(stored(key));
  if (slot != 0) return;
  slot = stored(key);
  if (static_cast<size_t>(++size_) * 4 > table_->slot_count() * 3) grow();
}

void DuplicateIndex::grow() {
  auto larger = std::make_unique<Table>(directory_, table_->bits() + 1);
  for (const uint64_t key : table_->slots())
    if (key != 0) larger->slot_of(key) = key;
  table_ = std::move(larger);
}

TextHash::TextHash(uint64_t seed)
    : v0_(seed ^ 0x736f6d6570736575ULL),
      v1_(~seed ^ 0x646f72616e646f6dULL),
      v2_(seed ^ 0x6c7967656e657261ULL),
      v3_(~seed ^ 0x7465646279746573ULL) {}

uint64_t TextHash::random_seed() {
  uint64_t seed = 0;
  if (::getentropy(&seed, sizeof seed) != 0) return 0;
  return seed;
}

void TextHash::round() {
  v0_ += v1_;
  v2_ += v3_;
  v1_ = std::rotl(v1_, 13) ^ v0_;
  v3_ = std::rotl(v3_, 16) ^ v2_;
  v0_ = std::rotl(v0_, 32);
  v2_ += v1_;
  v0_ += v3_;
  v1_ = std::rotl(v1_, 17) ^ v2_;
  v3_ = std::rotl(v3_, 21) ^ v0_;
  v2_ = std::rotl(v2_, 32);
}

void TextHash::add_word(uint64_t word) {
  v3_ ^= word;
  round();
  v0_ ^= word;
}

void TextHash::add(const void* bytes, size_t size) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  while (size > 0) {
    if (size_ % 8 == 0 && size >= 8) {
      uint64_t word;
      std::memcpy(&word, next, 8);
      add_word(word);
      next += 8;
      size -= 8;
      size_ += 8;
      continue;
    }
    partial_ |= static_cast<uint64_t>(*next++) << (8 * (size_ % 8));
    --size;
    if (++size_ % 8 == 0) add_word(std::exchange(partial_, 0));
  }
}

uint64_t TextHash::finish() {
  add_word(partial_ | static_cast<uint64_t>(size_) << 56);
  v2_ ^= 0xff;
  for (int i = 0; i < 3; ++i) round();
  return v0_ ^ v1_ ^ v2_ ^ v3_;
}

}  // namespace dietmt::data
