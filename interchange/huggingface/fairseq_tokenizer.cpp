#include "interchange/huggingface/fairseq_tokenizer.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "data/text/piece_list.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/vocabulary_json.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* kSentencepiece = "sentencepiece.bpe.model";
constexpr const char* kNumbers = "vocab.json";
constexpr const char* kTokenizer = "tokenizer.json";
constexpr const char* kSettings = "tokenizer_config.json";
constexpr const char* kSpecial = "special_tokens_map.json";
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
  const json listed = object_or_none(directory / kTokenizer).value("added_tokens", json::array());
  for (const json& entry : listed)
    if (entry.is_object() && is_whole_number(any_field(entry, "id")))
      added[entry.at("id").get<int64_t>()] = content_of(entry);
  if (!added.empty()) return added;
  const json settings = object_or_none(directory / kSettings);
  const json decoder = settings.value("added_tokens_decoder", json::object());
  for (const auto& [id, entry] : decoder.items())
    if (!id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == id.npos)
      added[std::stoll(id)] = content_of(entry);
  return added;
}

/// The languages that M2M100Tokenizer adds, which its files may leave out: those of M2M-100 (Fan et
/// al. 2021) or of WMT 2021.
std::vector<std::string> usual_languages(const fs::path& directory) {
  constexpr std::string_view kM2m100 =
      "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu "
      "ha he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr "
      "ms my ne nl no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr "
      "uk ur uz vi wo xh yi yo zh zu";
  constexpr std::string_view kWmt21 = "en ha is ja cs ru zh de";
  const auto codes =
      field_or<std::string>(object_or_none(directory / kSettings), "language_codes", "m2m100");
  std::istringstream list(std::string(codes == "wmt21" ? kWmt21 : kM2m100));
  std::vector<std::string> pieces;
  for (std::string code; list >> code;) pieces.push_back("__" + code + "__");
  return pieces;
}

/// Pieces that follow all others, in order.
std::vector<std::string> listed_pieces(const fs::path& directory) {
  std::vector<std::string> pieces;
  for (const char* file : {kSpecial, kSettings}) {
    const json listed =
        object_or_none(directory / file).value("additional_special_tokens", json::array());
    for (const json& entry : listed) pieces.push_back(content_of(entry));
    if (!pieces.empty()) break;
  }
  const bool is_m2m = fs::exists(directory / kNumbers);
  return pieces.empty() && is_m2m ? usual_languages(directory) : pieces;
}

/// The pieces of the text, by their numbers.
std::vector<std::string> pieces_of_text(const fs::path& directory) {
  if (fs::exists(directory / kNumbers)) return read_vocabulary_json(directory / kNumbers);
  const data::PieceVocabulary model = data::sentencepiece_vocabulary(directory / kSentencepiece);
  std::vector<std::string> pieces = {"<s>", "<pad>", "</s>", "<unk>"};
  constexpr size_t kSpecialPieces = 3;  // of the model: <unk>, <s>, </s>
  pieces.insert(pieces.end(),
                model.pieces.begin() +
                    static_cast<std::ptrdiff_t>(std::min(kSpecialPieces, model.pieces.size())),
                model.pieces.end());
  return pieces;
}

/// With the added pieces and, up to `size`, unused ones.
std::vector<std::string> all_pieces(const fs::path& directory, int64_t size) {
  std::vector<std::string> pieces = pieces_of_text(directory);
  const Added numbered = numbered_pieces(directory);
  for (const auto& [id, piece] : numbered) {
    if (id < 0 || id >= std::min(size, kMostPieces))
      throw CheckpointError((directory / kSettings).string() + ": the piece '" + piece +
                            "' has number " + std::to_string(id) + ", but the model has " +
                            std::to_string(size) + " pieces");
    if (id >= std::ssize(pieces)) pieces.resize(static_cast<size_t>(id) + 1);
    pieces[static_cast<size_t>(id)] = piece;
  }
  std::set<std::string> known(pieces.begin(), pieces.end());
  for (const std::string& piece : listed_pieces(directory))
    if (known.insert(piece).second) pieces.push_back(piece);
  if (!fs::exists(directory / kNumbers) && known.insert(kMask).second) pieces.emplace_back(kMask);
  if (std::ssize(pieces) > size)
    throw CheckpointError(directory.string() + ": the tokenizer has " +
                          std::to_string(pieces.size()) + " pieces, but the model has " +
                          std::to_string(size));
  pieces.resize(static_cast<size_t>(size));
  for (size_t id = 0; id < pieces.size(); ++id)
    if (pieces[id].empty()) pieces[id] = "<unused" + std::to_string(id) + ">";
  return pieces;
}

}  // namespace

FairseqTokenizer read_fairseq_tokenizer(const fs::path& directory, const json& description,
                                        int64_t size) {
  const fs::path model = directory / kSentencepiece;
  if (!fs::exists(model))
    throw CheckpointError(directory.string() + ": has no " + kSentencepiece +
                          ", which splits text into pieces");
  data::PieceVocabulary numbered;
  numbered.pieces = all_pieces(directory, size);
  numbered.unknown = data::piece_id(numbered.pieces, "<unk>");
  numbered.begin = piece_number(directory, description, "decoder_start_token_id", size);
  numbered.end = piece_number(directory, description, "eos_token_id", size);
  FairseqTokenizer made;
  made.languages = languages_of(numbered);
  hide_special_pieces(numbered);
  made.vocabulary = imported_vocabulary(std::move(numbered), {read_file(model), model.string()});
  return made;
}

}  // namespace dietmt::interchange
