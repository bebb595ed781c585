// Tokenizers of transformers that number their pieces as fairseq does: M2M-100, NLLB, mBART, BART.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "interchange/imported_vocabulary.h"
#include "nmt/model/languages.h"

namespace dietmt::interchange {

struct FairseqTokenizer {
  ImportedVocabulary vocabulary;
  nmt::ModelLanguages languages;  // of several pairs, or what begins all sentences of one
};

/// Reads sentencepiece.bpe.model, which splits the text, and numbers its pieces by vocab.json
/// (M2M-100), or else by fairseq's rule: <s>, <pad>, </s>, <unk>, and all others one higher than in
/// the model. Languages and other added pieces follow, with the numbers that tokenizer.json or
/// tokenizer_config.json gives them, or in the order of additional_special_tokens. `size`: pieces
/// that the model has; it may have unused ones at the end. `description`: its config.json with
/// decoder_start_token_id and eos_token_id. Of MBartTokenizer, mBART's first kind, it makes one of
/// one pair: sources end with src_lang of tokenizer_config.json, en_XX without it, and the decoder
/// starts from the language of the translation. Throws CheckpointError or DataError naming the file
/// and what is missing or does not match.
FairseqTokenizer read_fairseq_tokenizer(const std::filesystem::path& directory,
                                        const nlohmann::json& description, int64_t size);

/// Reads BART's (byte_tokenizer.h). Sources begin with <s>, translations with the special piece
/// that forced_bos_token_id names. Throws as above.
FairseqTokenizer read_bart_tokenizer(const std::filesystem::path& directory,
                                     const nlohmann::json& description, int64_t size);

}  // namespace dietmt::interchange
