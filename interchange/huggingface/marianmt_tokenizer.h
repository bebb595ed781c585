// The files of MarianTokenizer: source.spm and target.spm cut text into pieces, vocab.json numbers
// them (target_vocab.json those of the target where tokenizer_config.json says separate_vocabs).
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// `generation`: decoder_start_token_id and eos_token_id, which become begin and end of sentence.
/// Throws DataError or CheckpointError naming the file and what is missing or does not fit.
nmt::Tokenizers read_marian_tokenizers(const std::filesystem::path& directory,
                                       const nlohmann::json& generation);

/// Begin of sentence takes the place of padding. Throws ConfigError if the special pieces of the
/// two vocabularies differ.
void write_marian_tokenizers(const std::filesystem::path& directory,
                             const nmt::Tokenizers& tokenizers);

}  // namespace dietmt::interchange
