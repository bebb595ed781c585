#include "data/text/source_tag.h"

#include <algorithm>
#include <span>
#include <vector>

#include "common/error.h"

namespace dietmt::data {
namespace {

bool is_one_piece(const Tokenizer& tokenizer, std::span<const int32_t> ids,
                  const std::string& tag) {
  if (ids.size() == 2 && tokenizer.piece(ids[0]) == kWordBegin) ids = ids.subspan(1);
  if (ids.size() != 1) return false;
  const std::string piece = tokenizer.piece(ids[0]);
  return piece == tag || piece == std::string(kWordBegin) + tag;
}

}  // namespace

SourceTag::SourceTag(const Tokenizer& tokenizer, const std::string& tag) {
  if (tag.empty()) return;
  const std::vector<int32_t> ids = tokenizer.encode(tag);
  if (!is_one_piece(tokenizer, ids, tag)) {
    throw DataError("the tag '" + tag + "' is not a piece of the tokenizer " + tokenizer.file() +
                    ", which makes " + std::to_string(ids.size()) +
                    " of it; train one with this tag as a user-defined piece");
  }
  before_ = tag + ' ';
  pieces_ = std::ssize(ids);
}

std::string source_tag_problem(const std::string& tag) {
  const bool is_word = !tag.empty() && std::ranges::all_of(tag, [](char byte) {
    return static_cast<uint8_t>(byte) > ' ' && byte != '\x7f' && byte != ',' && byte != '"';
  });
  return is_word ? "" : "the tag '" + tag + "' must be a word without spaces, commas and quotes";
}

}  // namespace dietmt::data
