// The vocabularies of OpenNMT-py and eole: lists of pieces, or the fields of torchtext that version
// 2 of OpenNMT-py stores.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "interchange/imported_vocabulary.h"
#include "interchange/opennmt/opennmt_options.h"

namespace dietmt::interchange {

struct OpennmtVocabularies {
  ImportedVocabulary source, target;
  bool is_shared = false;  // one list of pieces
};

/// `vocabulary`: a checkpoint's `vocab` as read_torch_values() has it, or vocab.json; `where` names
/// its file. Sources have no end. `given`: one or two files that split text; none: those that
/// `options` name or find_splitter() finds in `directory`. Throws CheckpointError or DataError
/// naming the file.
OpennmtVocabularies read_opennmt_vocabularies(const nlohmann::json& vocabulary,
                                              const std::filesystem::path& where,
                                              const OpennmtOptions& options,
                                              const std::vector<std::filesystem::path>& given);

}  // namespace dietmt::interchange
