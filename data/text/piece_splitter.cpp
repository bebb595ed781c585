#include "data/text/piece_splitter.h"

#include <memory>
#include <vector>

#include "common/error.h"
#include "data/text/sentencepiece_model.h"

namespace dietmt::data {

std::function<std::string(std::string_view)> piece_splitter(const std::filesystem::path& file) {
  const auto model = std::make_shared<const SentencePieceModel>(file);
  return [model](std::string_view text) {
    std::vector<std::string> pieces;
    const auto status = model->processor().Encode({text.data(), text.size()}, &pieces);
    if (!status.ok()) throw Error(std::string("sentencepiece cannot encode: ") + status.message());
    std::string separated;
    for (const std::string& piece : pieces) separated += (separated.empty() ? "" : " ") + piece;
    return separated;
  };
}

}  // namespace dietmt::data
