#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "data/text/piece_list.h"
#include "data/text/source_tag.h"
#include "interchange/huggingface/marianmt.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/vocabulary_json.h"
#include "interchange/imported_vocabulary.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* kTargetVocabularyFile = "target_vocab.json";
constexpr const char* kSourcePieces = "source.spm";
constexpr const char* kTargetPieces = "target.spm";
constexpr const char* kUnknown = "<unk>";

/// The relevant fields of tokenizer_config.json.
struct Description {
  bool separate = false;
  std::string unknown;  // the piece
};

Description read_description(const fs::path& path) {
  if (!fs::exists(path)) return {.separate = false, .unknown = kUnknown};
  return read_json_as(path, [](const json& description) {
    const json unknown = description.is_object() ? description.value("unk_token", json()) : json();
    return Description{field_or(description, "separate_vocabs", false),
                       unknown.is_object()
                           ? field_or<std::string>(unknown, "content", kUnknown)
                           : field_or<std::string>(description, "unk_token", kUnknown)};
  });
}

/// The piece of a field that holds an id or a list starting with one; "" if the id is out of range.
/// Throws CheckpointError naming the field if it holds anything else.
std::string special_piece(const std::vector<std::string>& pieces, const json& generation,
                          const char* name) {
  const json& field = any_field(generation, name);
  const json& id = field.is_array() && !field.empty() ? field.front() : field;
  if (!is_whole_number(id))
    throw CheckpointError(std::string(name) + " is " + field.dump() +
                          "; it must be a whole number");
  const auto place = id.get<int64_t>();
  return place >= 0 && place < std::ssize(pieces) ? pieces[static_cast<size_t>(place)] : "";
}

// MarianTokenizer looks up the tags >>de<< before it splits the text into pieces, which start with
// the word-begin mark.
std::string name_of(const std::string& piece) {
  const std::string tag = ">>", word_begin(data::kWordBegin);
  const bool is_tag = piece.starts_with(word_begin + tag) && piece.ends_with("<<");
  return is_tag ? piece.substr(word_begin.size()) : piece;
}

json ids_of(const data::Tokenizer& tokenizer) {
  json ids = json::object();
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id)
    ids[name_of(tokenizer.piece(id))] = id;
  return ids;
}

}  // namespace

MarianTokenizers read_marian_tokenizers(const fs::path& directory, const json& generation) {
  const Description description = read_description(directory / kTokenizerConfig);
  const std::vector<std::string> source = read_vocabulary_json(directory / kVocabularyJson);
  const std::vector<std::string> target =
      description.separate ? read_vocabulary_json(directory / kTargetVocabularyFile) : source;
  std::string begin, end;
  try {
    begin = special_piece(target, generation, "decoder_start_token_id");
    end = special_piece(target, generation, "eos_token_id");
  } catch (const CheckpointError& error) {
    throw CheckpointError((directory / "config.json").string() + ": " + error.what());
  }
  const auto numbered = [&](const std::vector<std::string>& pieces) {
    return data::PieceVocabulary{pieces, data::piece_id(pieces, description.unknown),
                                 data::piece_id(pieces, begin), data::piece_id(pieces, end)};
  };
  data::PieceVocabulary of_source = numbered(source);
  const nmt::ModelLanguages languages = languages_of(of_source);
  return {{std::make_shared<data::Tokenizer>(directory / kSourcePieces, of_source),
           std::make_shared<data::Tokenizer>(directory / kTargetPieces, numbered(target))},
          languages};
}

void write_marian_tokenizers(const fs::path& directory, const nmt::Tokenizers& tokenizers,
                             int64_t longest) {
  const data::Tokenizer& source = *tokenizers.source;
  const data::Tokenizer& target = *tokenizers.target;
  if (source.sentencepiece().empty() || target.sentencepiece().empty())
    throw ConfigError(
        "MarianMT needs sentencepiece models, but the vocabulary is a list of pieces");
  if (source.source_ending() != std::vector{source.end_id()})
    throw ConfigError("MarianMT reads only end of sentence after each source, this model does not");
  const json source_ids = ids_of(source), target_ids = ids_of(target);
  const bool separate = source_ids != target_ids;
  const std::string begin = target.piece(target.begin_id());
  const std::string end = target.piece(target.end_id());
  const std::string unknown = target.piece(target.unknown_id());
  for (const std::string& piece : {begin, end, unknown}) {
    if (!source_ids.contains(piece))
      throw ConfigError(
          "MarianMT has the same special pieces in both vocabularies; that of the "
          "source lacks '" +
          piece + "'");
  }
  const json description = {{"tokenizer_class", "MarianTokenizer"},
                            {"unk_token", unknown},
                            {"eos_token", end},
                            {"pad_token", begin},
                            {"separate_vocabs", separate},
                            {"source_lang", "source"},
                            {"target_lang", "target"},
                            {"model_max_length", longest}};
  write_file_atomically(directory / kTokenizerConfig, description.dump(2) + "\n");
  write_file_atomically(directory / kVocabularyJson, source_ids.dump() + "\n");
  if (separate) write_file_atomically(directory / kTargetVocabularyFile, target_ids.dump() + "\n");
  write_file_atomically(directory / kSourcePieces, source.sentencepiece());
  write_file_atomically(directory / kTargetPieces, target.sentencepiece());
}

}  // namespace dietmt::interchange
