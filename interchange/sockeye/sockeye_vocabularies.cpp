#include "interchange/sockeye/sockeye_vocabularies.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "data/text/piece_list.h"
#include "interchange/huggingface/vocabulary_json.h"
#include "interchange/model_files.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

constexpr const char* kVocabularies[] = {"vocab.src.0.json", "vocab.trg.0.json"};
constexpr const char* kModels[] = {"source.spm", "target.spm"};

/// Whether enough pieces are so that it is no accident of the words.
template <typename Property>
bool are_usual(const std::vector<std::string>& pieces, const Property& property) {
  constexpr int64_t kOneIn = 20;
  return std::ranges::count_if(pieces, property) * kOneIn > std::ssize(pieces);
}

/// What cut text into such pieces; "": they can be words.
std::string cutter_of(const std::vector<std::string>& pieces) {
  if (are_usual(pieces, [](const std::string& piece) { return piece.starts_with("\u2581"); }))
    return "sentencepiece (\u2581): put its model";
  if (are_usual(pieces, [](const std::string& piece) { return piece.ends_with("@@"); }))
    return "BPE (@@): put its codes";
  return "";
}

}  // namespace

ImportedVocabulary read_sockeye_vocabulary(const fs::path& directory,
                                           const std::vector<fs::path>& given, size_t side) {
  const fs::path file = directory / kVocabularies[side];
  data::PieceVocabulary numbered;
  numbered.pieces = read_vocabulary_json(file);
  numbered.unknown = data::piece_id(numbered.pieces, "<unk>");
  numbered.begin = data::piece_id(numbered.pieces, "<s>");
  numbered.end = data::piece_id(numbered.pieces, "</s>");
  if (std::min({numbered.unknown, numbered.begin, numbered.end}) < 0)
    throw CheckpointError(file.string() + ": lacks <unk>, <s> or </s>");
  hide_special_pieces(numbered);
  Splitter splitter = find_splitter(directory, given, side, {kModels[side]});
  if (splitter.bytes.empty()) {
    const std::string cutter = cutter_of(numbered.pieces);
    if (!cutter.empty())
      throw CheckpointError(file.string() + ": its pieces are those of " + cutter +
                            " into the directory, as " + kModels[side] +
                            " or bpe.codes, or give it with --pieces");
    splitter.where = file.string();
  }
  return imported_vocabulary(std::move(numbered), splitter);
}

}  // namespace dietmt::interchange
