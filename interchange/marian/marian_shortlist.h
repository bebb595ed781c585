// Marian's binary lexical shortlists, lex.s2t.bin: magic number, checksum, four sizes, the bounds
// of the rows of source ids, and the target ids of all rows (Marian's src/data/shortlist.h).
#pragma once

#include <cstdint>
#include <filesystem>

#include "data/shortlist/shortlist.h"

namespace dietmt::interchange {

struct VocabularySizes {
  int64_t source = 0;
  int64_t target = 0;
  bool shared = false;  // source ids are target ids: each is its own candidate
};

/// Throws DataError naming the file if it is not such a shortlist, is damaged, or has ids outside
/// the vocabularies.
data::ShortlistContent read_marian_shortlist(const std::filesystem::path& path,
                                             const VocabularySizes& sizes);

}  // namespace dietmt::interchange
