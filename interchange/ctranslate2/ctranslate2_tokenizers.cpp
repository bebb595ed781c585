#include "interchange/ctranslate2/ctranslate2_tokenizers.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "data/text/merged_pieces.h"
#include "data/text/moses.h"
#include "data/text/piece_list.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

constexpr const char* kMetadata = "metadata.json";
constexpr const char* kMerges = "bpe.model";
constexpr const char* kPadding = "<pad>";

json parsed(PackageFiles& files, const std::string& name) {
  const std::string_view bytes = files.bytes(name);
  const json content = json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (content.is_discarded()) throw CheckpointError(files.where(name) + ": is not JSON");
  return content;
}

/// The pieces of NAME.json or NAME.txt; none if there is neither.
std::optional<std::vector<std::string>> pieces_of(PackageFiles& files, const std::string& name) {
  if (files.contains(name + ".txt"))
    return data::list_lines(files.bytes(name + ".txt"), files.where(name + ".txt"));
  if (!files.contains(name + ".json")) return {};
  const json content = parsed(files, name + ".json");
  const bool are_strings =
      content.is_array() &&
      std::ranges::all_of(content, [](const json& piece) { return piece.is_string(); });
  if (!are_strings) throw CheckpointError(files.where(name + ".json") + ": must list pieces");
  return content.get<std::vector<std::string>>();
}

/// A text of the metadata of an Argos package; "": none.
std::string metadata_text(PackageFiles& files, const char* key) {
  if (!files.contains(kMetadata)) return "";
  const json metadata = parsed(files, kMetadata);
  const auto text = metadata.is_object() ? metadata.value(key, json()) : json();
  return text.is_string() ? text.get<std::string>() : "";
}

/// Merges of the words that Argos Translate makes by Moses. `code`: the key of their language.
Splitter merges_of_argos(PackageFiles& files, const char* code) {
  const std::string language = metadata_text(files, code);
  const data::MosesLanguage* moses = data::moses_language(language);
  if (moses == nullptr || language.empty())
    throw CheckpointError(files.where(kMerges) + ": cuts words of Moses' tokenizer, and " + code +
                          " of " + kMetadata + " is '" + language +
                          "', a language whose words dietmt cannot make so");
  return {data::merge_rules(*moses, data::MosesSteps::kNormalized, files.bytes(kMerges)),
          files.where(kMerges), /*are_merges=*/true};
}

Splitter splitter(PackageFiles& files, const std::string& folder, const std::string& own,
                  const char* code, const std::filesystem::path& given) {
  if (!given.empty()) return {read_file(given), given.string()};
  for (const std::string& name :
       {folder + own, own, folder + "sentencepiece.model", std::string("sentencepiece.model"),
        folder + "sentencepiece.bpe.model"})
    if (files.contains(name)) return {std::string(files.bytes(name)), files.where(name)};
  return files.contains(kMerges) ? merges_of_argos(files, code) : Splitter();
}

void hide_prefix(const std::string& prefix, const std::string& where,
                 data::PieceVocabulary& vocabulary) {
  const int32_t piece = data::piece_id(vocabulary.pieces, prefix);
  if (piece < 0)
    throw CheckpointError(where + ": lacks the piece " + prefix + ", target_prefix of " +
                          kMetadata);
  vocabulary.tags.push_back(piece);
}

ImportedVocabulary vocabulary(std::vector<std::string> pieces,
                              const CTranslate2Sentences& sentences, const Splitter& splitter,
                              const std::string& prefix, const std::string& where,
                              nmt::ModelLanguages& languages) {
  // OpenNMT-tf leaves it out of the list; its row is the last.
  if (data::piece_id(pieces, sentences.unknown) < 0) pieces.push_back(sentences.unknown);
  data::PieceVocabulary numbered;
  numbered.ends_source = sentences.ends_source;
  numbered.end = data::piece_id(pieces, sentences.end);
  if (numbered.end < 0)
    throw CheckpointError(where + ": lacks the piece " + sentences.end + ", end of sentence");
  numbered.unknown = data::piece_id(pieces, sentences.unknown);
  numbered.begin = data::piece_id(pieces, sentences.begin);
  numbered.pieces = std::move(pieces);
  languages = languages_of(numbered);
  // Tokenizers of transformers, from which models with languages come, add the end themselves.
  const bool is_of_transformers = !languages.empty() || sentences.begin == kPadding;
  if (is_of_transformers) {
    numbered.ends_source = true;
    hide_special_pieces(numbered);
  }
  if (!prefix.empty()) hide_prefix(prefix, where, numbered);
  return imported_vocabulary(
      std::move(numbered),
      {splitter.bytes, splitter.bytes.empty() ? where : splitter.where, splitter.are_merges});
}

}  // namespace

CTranslate2Sentences read_sentences(PackageFiles& files, const std::string& folder,
                                    const CTranslate2Model& model) {
  CTranslate2Sentences sentences;
  const std::string name = folder + "config.json";
  bool begins_source = false;
  if (!files.contains(name)) {
    begins_source = model.number("with_source_bos", 0) != 0;
    sentences.ends_source = model.number("with_source_eos", 0) != 0;
    if (model.number("with_target_bos", 1) == 0) sentences.begin = sentences.end;
  } else {
    const json config = parsed(files, name);
    try {
      begins_source = field_or(config, "add_source_bos", false);
      sentences.ends_source = field_or(config, "add_source_eos", false);
      sentences.end = field_or(config, "eos_token", sentences.end);
      sentences.unknown = field_or(config, "unk_token", sentences.unknown);
      sentences.begin = field_or(config, "decoder_start_token", sentences.begin);
      if (const json epsilon = config.value("layer_norm_epsilon", json()); epsilon.is_number())
        sentences.norm_epsilon = epsilon.get<double>();
    } catch (const CheckpointError& error) {
      throw CheckpointError(files.where(name) + ": " + error.what());
    }
  }
  if (begins_source)
    throw CheckpointError(files.path().string() +
                          ": reads begin of sentence before each source (add_source_bos), which "
                          "dietmt's models do not");
  return sentences;
}

CTranslate2Vocabularies read_vocabularies(PackageFiles& files, const std::string& folder,
                                          const CTranslate2Sentences& sentences,
                                          const std::vector<std::filesystem::path>& pieces) {
  const auto given = [&](size_t side) {
    return pieces.empty() ? std::filesystem::path() : pieces[std::min(side, pieces.size() - 1)];
  };
  const Splitter source = splitter(files, folder, "source.spm", "from_code", given(0));
  const Splitter target = splitter(files, folder, "target.spm", "to_code", given(1));
  const std::string prefix = metadata_text(files, "target_prefix");
  CTranslate2Vocabularies both;
  const auto shared = pieces_of(files, folder + "shared_vocabulary");
  both.is_shared = shared.has_value();
  nmt::ModelLanguages languages;
  const auto side = [&](const char* name, const Splitter& splits, bool is_target) {
    const std::string own = folder + (shared ? "shared_vocabulary" : name);
    const auto listed = shared ? shared : pieces_of(files, own);
    if (!listed)
      throw CheckpointError(files.path().string() + ": has neither " + folder +
                            "shared_vocabulary nor " + own + ", .json or .txt");
    return vocabulary(*listed, sentences, splits, is_target ? prefix : "", files.where(own),
                      languages);
  };
  const bool is_one = shared && source.bytes == target.bytes;
  both.source = side("source_vocabulary", source, is_one);
  both.languages = languages;
  both.target = is_one ? both.source : side("target_vocabulary", target, true);
  // Such a package is for one pair, also if its model has several languages.
  if (!prefix.empty()) both.languages = {.always = {.source = "", .target = prefix}};
  return both;
}

}  // namespace dietmt::interchange
