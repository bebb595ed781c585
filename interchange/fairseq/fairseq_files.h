// The files of a fairseq model: a checkpoint, dict.SRC.txt and dict.TGT.txt next to it, and what
// splits text into the pieces of these dictionaries.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "interchange/imported_vocabulary.h"

namespace dietmt::interchange {

/// The checkpoint of a file or directory: the file itself, or the first of model.pt,
/// checkpoint_best.pt and checkpoint_last.pt that exists, or the only .pt file. Throws
/// CheckpointError naming the directory if there is none or several, and for a part of a sharded
/// checkpoint.
std::filesystem::path fairseq_checkpoint(const std::filesystem::path& from);

struct FairseqVocabularies {
  ImportedVocabulary source, target;
  bool is_shared = false;  // one list of pieces
};

/// Reads the dictionaries of two languages. Their first pieces are <s>, <pad>, </s> and <unk>;
/// sources end with </s>, and the decoder starts from it. `pieces`: one or two files that split
/// text, as find_splitter() takes them. Throws CheckpointError or DataError naming the file.
FairseqVocabularies read_fairseq_vocabularies(const std::filesystem::path& directory,
                                              const std::string& source, const std::string& target,
                                              const std::vector<std::filesystem::path>& pieces);

}  // namespace dietmt::interchange
