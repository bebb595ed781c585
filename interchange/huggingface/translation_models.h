// Translation models of Hugging Face's transformers, by the model_type of their config.json.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// MarianMT (marianmt.h), import_bart(), import_fsmt() or import_t5(). All read tensors in fp32,
/// fp16 or bf16; the model has fp32. Throws CheckpointError or DataError naming the file and what
/// is missing or does not match.
nmt::LoadedModel import_translation_model(const std::filesystem::path& directory);

/// BART (Lewis et al. 2020) and its descendants: M2M-100 and NLLB-200 (m2m_100), mBART-50 and mBART
/// (mbart). BART's sources begin with <s>, and its translations with forced_bos_token_id. The
/// languages of the vocabulary become those of the model (ModelConfig::languages): their pieces
/// begin sources and translations. A model of mBART's first kind has one pair
/// (fairseq_tokenizer.h).
nmt::LoadedModel import_bart(const std::filesystem::path& directory);

/// FSMT (Ng et al. 2019), fairseq's models of WMT19: a vocabulary for each language, and Moses'
/// tokenizer before byte pair encoding (data/text/moses.h).
nmt::LoadedModel import_fsmt(const std::filesystem::path& directory);

/// T5, mT5 and MADLAD-400 (Raffel et al. 2020; Kudugunta et al. 2023). T5 does not scale the
/// products of queries and keys; ours does, so queries get the inverse. A vocabulary with pieces
/// such as `<2de>` gets these languages.
nmt::LoadedModel import_t5(const std::filesystem::path& directory);
/// `pieces`: the directory with spiece.model.
nmt::LoadedModel import_t5(const std::filesystem::path& directory,
                           const std::filesystem::path& pieces);

/// What `read` makes of the description in `path`. `names`: throw_with_their_names(). Throws
/// CheckpointError naming the file and its keys, also for a model that does not fit into memory.
nmt::ModelConfig checked_config(const std::filesystem::path& path,
                                const nlohmann::json& description,
                                const std::function<nmt::ModelConfig(const nlohmann::json&)>& read,
                                const std::map<std::string, std::string>& names);

}  // namespace dietmt::interchange
