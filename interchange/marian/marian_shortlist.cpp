#include "interchange/marian/marian_shortlist.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "common/error.h"
#include "common/files.h"

namespace dietmt::interchange {
namespace {

constexpr uint64_t kMagic = 0xF11A48D5013417F5;

struct Header {
  uint64_t magic;
  uint64_t checksum;  // of everything after it
  uint64_t first;     // this many most frequent target ids are candidates for every source
  uint64_t best;      // at most this many ids per row
  uint64_t bounds;    // source ids + 1
  uint64_t entries;
};

// Covers whole 8-byte words; a remainder is ignored.
uint64_t checksum_of(std::string_view bytes) {
  uint64_t seed = 0;
  for (size_t at = 0; at + sizeof seed <= bytes.size(); at += sizeof seed) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    seed ^= word + 0x9e3779b9 + (seed << 6) + (seed >> 2);
  }
  return seed;
}

}  // namespace

data::ShortlistContent read_marian_shortlist(const std::filesystem::path& path,
                                             const VocabularySizes& sizes) {
  const std::string bytes = read_file(path);
  const auto fail = [&](const char* what) { throw DataError(path.string() + ": " + what); };
  Header header{};
  if (bytes.size() < sizeof header) fail("is not a binary shortlist of Marian");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) fail("is not a binary shortlist of Marian");
  const size_t rest = bytes.size() - sizeof header;
  if (header.bounds > rest / sizeof(uint64_t) ||
      header.entries != (rest - header.bounds * sizeof(uint64_t)) / sizeof(uint32_t) ||
      header.checksum != checksum_of(std::string_view(bytes).substr(2 * sizeof(uint64_t))))
    fail("is damaged: its size or checksum is wrong");
  std::vector<uint64_t> bounds(header.bounds);
  std::vector<uint32_t> ids(header.entries);
  const char* at = bytes.data() + sizeof header;
  if (!bounds.empty()) std::memcpy(bounds.data(), at, bounds.size() * sizeof(uint64_t));
  if (!ids.empty())
    std::memcpy(ids.data(), at + bounds.size() * sizeof(uint64_t), ids.size() * sizeof(uint32_t));
  if (bounds.empty() || bounds.front() != 0 || bounds.back() != ids.size() ||
      !std::ranges::is_sorted(bounds) || std::ssize(bounds) - 1 > sizes.source ||
      std::ranges::any_of(ids, [&](uint32_t id) { return id >= sizes.target; }))
    fail("was made for other vocabularies than the model's");

  data::ShortlistContent content;
  content.always.resize(std::min(header.first, static_cast<uint64_t>(sizes.target)));
  std::iota(content.always.begin(), content.always.end(), 0);
  for (int64_t source = 0; source < sizes.source; ++source) {
    const auto row = static_cast<size_t>(source);
    if (row + 1 < bounds.size()) {
      content.ids.insert(content.ids.end(), ids.begin() + static_cast<int64_t>(bounds[row]),
                         ids.begin() + static_cast<int64_t>(bounds[row + 1]));
      if (sizes.shared) content.ids.push_back(static_cast<int32_t>(source));
    }
    content.bounds.push_back(static_cast<uint32_t>(content.ids.size()));
  }
  content.probabilities.resize(content.ids.size());
  return content;
}

}  // namespace dietmt::interchange
