#include "interchange/opennmt/opennmt_vocabularies.h"

#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "data/text/piece_list.h"
#include "interchange/model_files.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* kSides[] = {"src", "tgt"};

/// The list in a side's fields of torchtext: {"fields": [[name, {"vocab": {"itos": [...]}}]]}.
const json& list_of_fields(const json& side) {
  const json& fields = any_field(side, "fields");
  if (!fields.is_array() || fields.empty() || !fields[0].is_array() || fields[0].size() != 2)
    throw CheckpointError("has a vocabulary of an unknown form");
  if (fields.size() > 1)
    throw CheckpointError("has features of source words, which dietmt's models do not have");
  return any_field(object_field(fields[0][1], "vocab"), "itos");
}

std::vector<std::string> pieces_of(const json& vocabulary, const char* side) {
  const json& found = any_field(vocabulary, side);
  const json& list = found.is_object() ? list_of_fields(found) : found;
  if (!list.is_array() || list.empty())
    throw CheckpointError(std::string("its vocabulary '") + side + "' lists no pieces");
  std::vector<std::string> pieces;
  std::set<std::string> known;
  for (const json& piece : list) {
    if (!piece.is_string() || !known.insert(piece.get<std::string>()).second)
      throw CheckpointError(std::string("its vocabulary '") + side + "' has " + piece.dump() +
                            ", which is no piece or there twice");
    pieces.push_back(piece);
  }
  return pieces;
}

data::PieceVocabulary numbered(std::vector<std::string> pieces, const json& vocabulary) {
  const json specials = vocabulary.value("specials", json::object());
  data::PieceVocabulary made;
  made.unknown = data::piece_id(pieces, field_or<std::string>(specials, "unk_token", "<unk>"));
  made.end = data::piece_id(pieces, field_or<std::string>(specials, "eos_token", "</s>"));
  made.begin =
      data::piece_id(pieces, field_or<std::string>(vocabulary, "decoder_start_token", "<s>"));
  made.ends_source = false;
  made.pieces = std::move(pieces);
  if (made.unknown < 0) throw CheckpointError("its vocabulary has no piece for unknown words");
  hide_special_pieces(made);
  return made;
}

void require_target_pieces(const data::PieceVocabulary& target) {
  if (target.begin < 0 || target.end < 0)
    throw CheckpointError("its target vocabulary lacks the piece that begins or ends sentences");
}

Splitter splitter_of(const fs::path& directory, const OpennmtOptions& options,
                     const std::vector<fs::path>& given, size_t side) {
  const char* usual[] = {"source.spm", "target.spm"};
  return find_splitter(directory, given, side, {options.subword_files[side], usual[side]});
}

void warn_of_text(const fs::path& where, const OpennmtOptions& options, bool has_splitters) {
  const std::string& named = options.subword_files[0];
  if (!has_splitters)
    spdlog::warn(
        "{}: no sentencepiece model or BPE codes{} next to it: the words of texts must be pieces "
        "of the vocabulary; otherwise put the files there, or give them with --pieces",
        where.string(), named.empty() ? "" : " (" + named + " in training)");
  if (options.is_tokenized)
    spdlog::warn("{}: the model was trained on text that pyonmttok tokenized: prepare texts so",
                 where.string());
}

ImportedVocabulary imported(data::PieceVocabulary numbered, const fs::path& where,
                            const Splitter& splitter) {
  return imported_vocabulary(
      std::move(numbered),
      {splitter.bytes, splitter.bytes.empty() ? where.string() : splitter.where,
       splitter.are_merges});
}

}  // namespace

OpennmtVocabularies read_opennmt_vocabularies(const json& vocabulary, const fs::path& where,
                                              const OpennmtOptions& options,
                                              const std::vector<fs::path>& given) {
  data::PieceVocabulary sides[2];
  try {
    if (!vocabulary.is_object()) throw CheckpointError("has a vocabulary of an unknown form");
    if (!vocabulary.value("src_feats", json::array()).empty())
      throw CheckpointError("has features of source words, which dietmt's models do not have");
    for (size_t side = 0; side < 2; ++side)
      sides[side] = numbered(pieces_of(vocabulary, kSides[side]), vocabulary);
    require_target_pieces(sides[1]);
  } catch (const CheckpointError& error) {
    throw CheckpointError(where.string() + ": " + error.what());
  }
  const fs::path directory = parent_directory(where);
  const Splitter splitters[] = {splitter_of(directory, options, given, 0),
                                splitter_of(directory, options, given, 1)};
  warn_of_text(where, options, !splitters[0].bytes.empty() && !splitters[1].bytes.empty());
  OpennmtVocabularies both;
  both.is_shared = sides[0].pieces == sides[1].pieces;
  both.source = imported(sides[0], where, splitters[0]);
  both.target = both.is_shared && splitters[0].bytes == splitters[1].bytes
                    ? both.source
                    : imported(sides[1], where, splitters[1]);
  return both;
}

}  // namespace dietmt::interchange
