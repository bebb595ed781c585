// Byte-level BPE of transformers' tokenizers, as GPT-2 and BART have it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "interchange/imported_vocabulary.h"

namespace dietmt::interchange {

struct ByteTokenizer {
  std::vector<std::string> pieces;  // by their numbers
  Splitter splitter;
};

/// Reads vocab.json and merges.txt, or, without either, both from tokenizer.json, whose model must
/// be BPE of bytes. A text gets a space before it if tokenizer_config.json or tokenizer.json says
/// so (add_prefix_space). Throws CheckpointError or DataError naming the file and what is missing.
ByteTokenizer read_byte_tokenizer(const std::filesystem::path& directory);

}  // namespace dietmt::interchange
