#include "data/text/sentence_splitter.h"

#include <unicode/uchar.h>

#include <utility>

#include "data/text/sentence_ends.h"
#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

bool is_space(Character one) { return one.bytes > 0 && u_isUWhiteSpace(one.code); }

// Bytes of white space at the start of `text`.
size_t leading_space(std::string_view text) {
  size_t size = 0;
  for (Character one; is_space(one = first_character_of(text.substr(size))); size += one.bytes) {
  }
  return size;
}

// Length of `text` without trailing white space.
size_t without_trailing_space(std::string_view text) {
  for (Character one; is_space(one = last_character_of(text));) text.remove_suffix(one.bytes);
  return text.size();
}

// Collects sentences; everything between them is white space.
class PieceCollector {
 public:
  explicit PieceCollector(std::string_view text) : text_(text) {}

  /// Adds bytes begin .. end-1: a sentence with white space around it, or only white space.
  void add(size_t begin, size_t end) {
    begin += leading_space(text_.substr(begin, end - begin));
    end = begin + without_trailing_space(text_.substr(begin, end - begin));
    if (begin == end) return;
    split_.pieces.push_back(
        {text_.substr(covered_, begin - covered_), text_.substr(begin, end - begin)});
    covered_ = end;
  }

  SplitText finish() {
    split_.after = text_.substr(covered_);
    return std::move(split_);
  }

 private:
  std::string_view text_;
  SplitText split_;
  size_t covered_ = 0;  // bytes in pieces
};

// The end of the line that starts at `begin`: after LF, CR, U+2028, U+2029 or U+0085, or at the end
// of the text.
size_t line_end(std::string_view text, size_t begin) {
  constexpr std::string_view kOthers[] = {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
  for (size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == '\r') return i + 1;
    for (const std::string_view other : kOthers) {
      if (text.substr(i, other.size()) == other) return i + other.size();
    }
  }
  return text.size();
}

}  // namespace

SplitText split_sentences(std::string_view text, const std::string& language) {
  PieceCollector collector(text);
  for (size_t begin = 0; begin < text.size();) {
    const std::string_view line = text.substr(begin, line_end(text, begin) - begin);
    size_t start = 0;
    for (const size_t end : sentence_ends(line, language)) {
      collector.add(begin + start, begin + end);
      start = end;
    }
    begin += line.size();
  }
  return collector.finish();
}

SplitText one_sentence(std::string_view text) {
  PieceCollector collector(text);
  collector.add(0, text.size());
  return collector.finish();
}

}  // namespace dietmt::data
