#include "fetching/unpacked_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/atomic_file.h"
#include "common/decompression.h"
#include "common/error.h"

namespace dietmt::fetching {
namespace fs = std::filesystem;

void unpack(const fs::path& from, const fs::path& to) {
  constexpr size_t kPiece = 16 << 10;
  constexpr uint64_t kAlwaysPossible = 64 << 20, kMostRatio = 50;
  const MappedFile packed(from);
  std::string_view rest = packed.bytes();
  const uint64_t most = std::max<uint64_t>(kAlwaysPossible, rest.size() * kMostRatio);
  const auto decompressor = decompressor_of(rest.substr(0, kMagicBytes));
  if (!decompressor) throw DataError(from.string() + ": is not compressed");
  AtomicFile file(to);
  uint64_t size = 0;
  for (std::string piece; !rest.empty(); piece.clear()) {
    const std::string_view next = rest.substr(0, kPiece);
    rest.remove_prefix(next.size());
    const std::string problem = decompressor->append(next, piece);
    if (!problem.empty())
      throw DataError(fmt::format("{}: {}: {}", from.string(), decompressor->format(), problem));
    size += piece.size();
    if (size > most)
      throw DataError(
          fmt::format("{}: unpacks to over {} times its size, as no file of a model does",
                      from.string(), kMostRatio));
    file.write(piece);
  }
  if (decompressor->inside_member()) throw DataError(from.string() + ": was cut short");
  file.commit();
}

}  // namespace dietmt::fetching
