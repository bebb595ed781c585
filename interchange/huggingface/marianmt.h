// Translation models of Hugging Face's transformers: MarianMT directories, such as all OPUS-MT
// models, with config.json, weights (weights.h), source.spm, target.spm and vocab.json.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Reads tensors in fp32, fp16 or bf16; the model has fp32. Begin of sentence is the piece that
/// MarianMT's decoder starts with (`<pad>`). Throws CheckpointError or DataError naming the file
/// and what is missing or does not match.
nmt::LoadedModel import_marianmt(const std::filesystem::path& directory);

/// Writes the files that `from_pretrained` of MarianMTModel and MarianTokenizer reads into an
/// existing directory. Begin of sentence becomes their padding. Throws ConfigError listing every
/// property of the model that MarianMT does not support.
void export_marianmt(const std::filesystem::path& directory, const nmt::LoadedModel& model);

struct MarianTokenizers {
  nmt::Tokenizers tokenizers;
  nmt::ModelLanguages languages;  // of the source's pieces
};

/// The files of MarianTokenizer: source.spm and target.spm split text into pieces; vocab.json
/// numbers them (target_vocab.json numbers the target's if tokenizer_config.json says
/// separate_vocabs). `generation`: decoder_start_token_id and eos_token_id, which become begin and
/// end of sentence. Throws DataError or CheckpointError naming the file and what is missing or does
/// not match.
MarianTokenizers read_marian_tokenizers(const std::filesystem::path& directory,
                                        const nlohmann::json& generation);

/// Begin of sentence replaces padding. `longest`: maximum sentence length in tokens. Throws
/// ConfigError if the special pieces of the two vocabularies differ.
void write_marian_tokenizers(const std::filesystem::path& directory,
                             const nmt::Tokenizers& tokenizers, int64_t longest);

}  // namespace dietmt::interchange
