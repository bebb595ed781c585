#include "interchange/huggingface/fairseq_tokenizer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "data/text/piece_list.h"
#include "interchange/huggingface/byte_tokenizer.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/vocabulary_json.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* kSentencepiece = "sentencepiece.bpe.model";
constexpr const char* kSpecial = "special_tokens_map.json";
constexpr const char* kBegin = "<s>";
constexpr const char* kMask = "<mask>";
constexpr int64_t kMostPieces = 4'000'000;

using Added = std::map<int64_t, std::string>;  // by id

// The text of an entry that is a string or an object with `content`.
std::string content_of(const json& entry) {
  return entry.is_object()   ? field_or<std::string>(entry, "content", "")
         : entry.is_string() ? entry.get<std::string>()
                             : "";
}

json object_or_none(const fs::path& file) {
  return fs::exists(file) ? read_json_object(file) : json::object();
}

/// Pieces with the numbers that a file gives them.
Added numbered_pieces(const fs::path& directory) {
  Added added;
  const json listed =
      object_or_none(directory / kTokenizerJson).value("added_tokens", json::array());
  for (const json& entry : listed)
    if (entry.is_object() && is_whole_number(any_field(entry, "id")))
      added[entry.at("id").get<int64_t>()] = content_of(entry);
  if (!added.empty()) return added;
  const json settings = object_or_none(directory / kTokenizerConfig);
  const json decoder = settings.value("added_tokens_decoder", json::object());
  for (const auto& [id, entry] : decoder.items())
    if (!id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == id.npos)
      added[std::stoll(id)] = content_of(entry);
  return added;
}

/// Whether sources end with their language: of MBartTokenizer, which models of type mbart have
/// unless a file names another one.
bool ends_with_language(const fs::path& directory, const json& description) {
  const auto type = field_or<std::string>(description, "model_type", "");
  std::string name = field_or<std::string>(description, "tokenizer_class",
                                           type == "mbart" ? "MBartTokenizer" : "");
  name = field_or(object_or_none(directory / kTokenizerConfig), "tokenizer_class", name);
  return name == "MBartTokenizer" || name == "MBartTokenizerFast";
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Those of mBART (Liu et al. 2020), in its order.
std::vector<std::string> mbart_languages() {
  return words_of(
      "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT "
      "lv_LV my_MM ne_NP nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN");
}

/// The languages that M2M100Tokenizer adds, which its files may leave out: those of M2M-100 (Fan et
/// al. 2021) or of WMT 2021.
std::vector<std::string> m2m_languages(const fs::path& directory) {
  constexpr std::string_view kM2m100 =
      "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu "
      "ha he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr "
      "ms my ne nl no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr "
      "uk ur uz vi wo xh yi yo zh zu";
  constexpr std::string_view kWmt21 = "en ha is ja cs ru zh de";
  const auto codes = field_or<std::string>(object_or_none(directory / kTokenizerConfig),
                                           "language_codes", "m2m100");
  std::vector<std::string> pieces = words_of(codes == "wmt21" ? kWmt21 : kM2m100);
  for (std::string& piece : pieces) piece = "__" + piece + "__";
  return pieces;
}

/// Pieces that follow all others, in order.
std::vector<std::string> listed_pieces(const fs::path& directory, const json& description) {
  std::vector<std::string> pieces;
  for (const char* file : {kSpecial, kTokenizerConfig}) {
    const json listed =
        object_or_none(directory / file).value("additional_special_tokens", json::array());
    for (const json& entry : listed) pieces.push_back(content_of(entry));
    if (!pieces.empty()) break;
  }
  if (!pieces.empty()) return pieces;
  if (fs::exists(directory / kVocabularyJson)) return m2m_languages(directory);
  return ends_with_language(directory, description) ? mbart_languages() : pieces;
}

/// The pieces of the text, by their numbers.
std::vector<std::string> pieces_of_text(const fs::path& directory) {
  if (fs::exists(directory / kVocabularyJson))
    return read_vocabulary_json(directory / kVocabularyJson);
  const data::PieceVocabulary model = data::sentencepiece_vocabulary(directory / kSentencepiece);
  std::vector<std::string> pieces = {"<s>", "<pad>", "</s>", "<unk>"};
  constexpr size_t kSpecialPieces = 3;  // of the model: <unk>, <s>, </s>
  pieces.insert(pieces.end(),
                model.pieces.begin() +
                    static_cast<std::ptrdiff_t>(std::min(kSpecialPieces, model.pieces.size())),
                model.pieces.end());
  return pieces;
}

/// With those that a file numbers.
std::vector<std::string> with_numbered(const fs::path& directory, std::vector<std::string> pieces,
                                       int64_t size) {
  // Some models of BART have no row for their last piece.
  if (std::ssize(pieces) == size + 1 && pieces.back() == kMask) pieces.pop_back();
  for (const auto& [id, piece] : numbered_pieces(directory)) {
    if (id == size && piece == kMask) continue;
    if (id < 0 || id >= std::min(size, kMostPieces))
      throw CheckpointError((directory / kTokenizerConfig).string() + ": the piece '" + piece +
                            "' has number " + std::to_string(id) + ", but the model has " +
                            std::to_string(size) + " pieces");
    if (id >= std::ssize(pieces)) pieces.resize(static_cast<size_t>(id) + 1);
    pieces[static_cast<size_t>(id)] = piece;
  }
  return pieces;
}

/// With the pieces that have no number.
std::vector<std::string> with_listed(const fs::path& directory, const json& description,
                                     std::vector<std::string> pieces) {
  std::set<std::string> known(pieces.begin(), pieces.end());
  for (const std::string& piece : listed_pieces(directory, description))
    if (known.insert(piece).second) pieces.push_back(piece);
  if (!fs::exists(directory / kVocabularyJson) && known.insert(kMask).second)
    pieces.emplace_back(kMask);
  return pieces;
}

/// With unused ones up to `size`.
std::vector<std::string> filled_up(const fs::path& directory, std::vector<std::string> pieces,
                                   int64_t size) {
  if (std::ssize(pieces) > size)
    throw CheckpointError(directory.string() + ": the tokenizer has " +
                          std::to_string(pieces.size()) + " pieces, but the model has " +
                          std::to_string(size));
  pieces.resize(static_cast<size_t>(size));
  for (size_t id = 0; id < pieces.size(); ++id)
    if (pieces[id].empty()) pieces[id] = "<unused" + std::to_string(id) + ">";
  return pieces;
}

data::PieceVocabulary numbered(const fs::path& directory, const json& description,
                               std::vector<std::string> pieces, int64_t size) {
  data::PieceVocabulary made;
  made.pieces = filled_up(directory, std::move(pieces), size);
  made.unknown = data::piece_id(made.pieces, "<unk>");
  made.begin = piece_number(directory, description, "decoder_start_token_id", size);
  made.end = piece_number(directory, description, "eos_token_id", size);
  return made;
}

/// The piece that translations of BART begin with; empty: none.
std::string forced_piece(const fs::path& directory, const json& description,
                         const data::PieceVocabulary& vocabulary) {
  const char* const name = field_or(description, "force_bos_token_to_be_generated", false) &&
                                   !description.contains("forced_bos_token_id")
                               ? "bos_token_id"
                               : "forced_bos_token_id";
  if (description.value(name, json()).is_null()) return "";
  const int32_t id = piece_number(directory, description, name, std::ssize(vocabulary.pieces));
  const bool is_tag = std::ranges::count(vocabulary.tags, id) > 0;
  return is_tag ? vocabulary.pieces[static_cast<size_t>(id)] : "";
}

/// Makes the tokenizer one of one pair.
void set_pair(const fs::path& directory, const nmt::ModelLanguages& languages,
              data::PieceVocabulary& numbered) {
  const auto source =
      field_or<std::string>(object_or_none(directory / kTokenizerConfig), "src_lang", "en_XX");
  numbered.source_language = data::piece_id(numbered.pieces, source);
  if (numbered.source_language < 0)
    throw CheckpointError((directory / kTokenizerConfig).string() + ": src_lang is '" + source +
                          "', which is not a piece of the vocabulary");
  const std::string& target = numbered.pieces[static_cast<size_t>(numbered.begin)];
  const bool is_language =
      std::ranges::any_of(languages.pieces, [&](const auto& one) { return one.second == target; });
  if (!is_language)
    throw CheckpointError((directory / kTransformersConfig).string() +
                          ": decoder_start_token_id is that of '" + target +
                          "'; mBART starts a translation with its language, so set it to the "
                          "number of that language");
  spdlog::info("sources are in {}, translations in {}", source, target);
}

}  // namespace

FairseqTokenizer read_fairseq_tokenizer(const fs::path& directory, const json& description,
                                        int64_t size) {
  const fs::path model = directory / kSentencepiece;
  if (!fs::exists(model))
    throw CheckpointError(directory.string() + ": has no " + kSentencepiece +
                          ", which splits text into pieces");
  data::PieceVocabulary vocabulary =
      numbered(directory, description,
               with_listed(directory, description,
                           with_numbered(directory, pieces_of_text(directory), size)),
               size);
  FairseqTokenizer made;
  made.languages = languages_of(vocabulary);
  if (ends_with_language(directory, description)) {
    set_pair(directory, made.languages, vocabulary);
    made.languages = {};
  }
  hide_special_pieces(vocabulary);
  made.vocabulary = imported_vocabulary(std::move(vocabulary), {read_file(model), model.string()});
  return made;
}

FairseqTokenizer read_bart_tokenizer(const fs::path& directory, const json& description,
                                     int64_t size) {
  ByteTokenizer bytes = read_byte_tokenizer(directory);
  data::PieceVocabulary vocabulary = numbered(
      directory, description, with_numbered(directory, std::move(bytes.pieces), size), size);
  hide_special_pieces(vocabulary);
  FairseqTokenizer made;
  made.languages.always = {kBegin, forced_piece(directory, description, vocabulary)};
  if (data::piece_id(vocabulary.pieces, kBegin) < 0)
    throw CheckpointError(directory.string() + ": the tokenizer lacks the piece " + kBegin +
                          ", which begins sources");
  made.vocabulary = imported_vocabulary(std::move(vocabulary), bytes.splitter);
  return made;
}

}  // namespace dietmt::interchange
