#include "interchange/marian/marian_tokenizer.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "data/shortlist/shortlist.h"
#include "data/text/piece_list.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

std::shared_ptr<const data::Tokenizer> make_tokenizer(const fs::path& vocabulary,
                                                      const fs::path& pieces, int64_t size) {
  const bool numbered = vocabulary.extension() != ".spm";
  data::PieceVocabulary all =
      numbered
          ? data::PieceVocabulary{data::marian_pieces(read_file(vocabulary), vocabulary.string()),
                                  -1, -1, -1}
          : data::sentencepiece_vocabulary(vocabulary);
  if (numbered) {
    all.unknown = data::piece_id(all.pieces, "<unk>");
    all.end = data::piece_id(all.pieces, "</s>");
  }
  if (static_cast<int64_t>(all.pieces.size()) > size) {
    throw DataError(vocabulary.string() + ": has " + std::to_string(all.pieces.size()) +
                    " pieces, but the model has " + std::to_string(size));
  }
  if (static_cast<int64_t>(all.pieces.size()) < size)
    spdlog::warn("{} has {} pieces, but the model has {}; the extra embeddings are never used",
                 vocabulary.string(), all.pieces.size(), size);
  while (static_cast<int64_t>(all.pieces.size()) < size) all.pieces.emplace_back();
  for (size_t id = 0; id < all.pieces.size(); ++id)
    if (all.pieces[id].empty()) all.pieces[id] = "<unused " + std::to_string(id) + ">";
  all.begin = static_cast<int32_t>(size);
  all.pieces.push_back(data::piece_id(all.pieces, "<pad>") < 0 ? "<pad>" : "<begin>");
  return std::make_shared<data::Tokenizer>(numbered ? pieces : vocabulary, all);
}

const fs::path& of_side(const std::vector<fs::path>& files, size_t side, const char* what) {
  if (files.empty()) throw ConfigError(std::string("Marian's model needs ") + what);
  return files[std::min(side, files.size() - 1)];
}

}  // namespace

std::shared_ptr<const data::Tokenizer> marian_tokenizer(const MarianFiles& files, size_t side,
                                                        int64_t size) {
  const fs::path& vocabulary =
      of_side(files.vocabularies, side, "its vocabularies, .spm or .yml (--vocabulary)");
  const std::string kind = vocabulary.extension();
  if (kind != ".spm" && kind != ".yml" && kind != ".yaml")
    throw ConfigError("--vocabulary " + vocabulary.string() + ": is neither .spm nor .yml");
  if (kind == ".spm") return make_tokenizer(vocabulary, vocabulary, size);
  return make_tokenizer(
      vocabulary,
      of_side(files.pieces, side,
              "the sentencepiece models that split text into the pieces of the .yml (--pieces)"),
      size);
}

void check_vocabularies(const MarianFiles& files, const nmt::ModelConfig& config,
                        const data::Tokenizer& source, const data::Tokenizer& target) {
  if (config.tied_embeddings != "all") return;
  if (data::vocabulary_fingerprint(source) == data::vocabulary_fingerprint(target)) return;
  throw DataError(files.weights.string() +
                  ": has one embedding for both languages, but the vocabularies differ; give one");
}

}  // namespace dietmt::interchange
