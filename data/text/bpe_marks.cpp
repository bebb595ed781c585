#include "data/text/bpe_marks.h"

#include <algorithm>

namespace dietmt::data {
namespace {

constexpr std::string_view kMark = "@@";

// Where the next mark is, which ends a word or the text; npos: there is none.
size_t next_mark(std::string_view text, size_t from) {
  size_t at = text.find(kMark, from);
  while (at != text.npos && at + kMark.size() < text.size() && text[at + kMark.size()] != ' ')
    at = text.find(kMark, at + 1);
  return at;
}

}  // namespace

bool has_bpe_marks(std::string_view text) { return next_mark(text, 0) != text.npos; }

std::string without_bpe_marks(std::string_view text) {
  std::string words;
  size_t from = 0;
  for (size_t at; (at = next_mark(text, from)) != text.npos;) {
    words += text.substr(from, at - from);
    from = std::min(at + kMark.size() + 1, text.size());
  }
  return words += text.substr(from);
}

}  // namespace dietmt::data
