#include "data/text/piece_list.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/error.h"
#include "common/numbers.h"
#include "common/text_io.h"
#include "common/trimmed.h"
#include "data/text/source_tag.h"
#include "data/text/source_text.h"

namespace dietmt::data {
namespace {

constexpr const char *kUnknown = "<unk>", *kBegin = "<s>", *kEnd = "</s>";

/// The lines of a list, for messages with their numbers.
class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : rest_(text), file_(file) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    if (const size_t at = invalid_utf8_at(line); at < line.size())
      fail("not UTF-8 at byte " + std::to_string(at + 1));
    return true;
  }

  size_t number() const { return number_; }

  [[noreturn]] void fail(const std::string& problem) const {
    throw DataError(file_ + ":" + std::to_string(number_) + ": " + problem);
  }

 private:
  std::string_view rest_;
  const std::string& file_;
  size_t number_ = 0;
};

// The character of an escape of YAML, read and removed from the text after the backslash.
std::optional<char32_t> unescaped(std::string_view& rest) {
  constexpr std::string_view kNames = "0abtnvfre \"/\\N_LP";
  constexpr char32_t kCharacters[] = {0,   7,   8,   9,    10,   11,   12,     13,    27,
                                      ' ', '"', '/', '\\', 0x85, 0xA0, 0x2028, 0x2029};
  if (rest.empty()) return std::nullopt;
  const char name = rest.front();
  rest.remove_prefix(1);
  if (const size_t at = kNames.find(name); at != kNames.npos) return kCharacters[at];
  const size_t digits = name == 'x' ? 2 : name == 'u' ? 4 : name == 'U' ? 8 : 0;
  if (digits == 0 || rest.size() < digits) return std::nullopt;
  const auto code = number_in<uint32_t>(rest.substr(0, digits), 16);
  rest.remove_prefix(digits);
  if (!code || *code > 0x10FFFF || (*code >= 0xD800 && *code < 0xE000)) return std::nullopt;
  return *code;
}

// A scalar of YAML, plain or quoted.
std::optional<std::string> yaml_scalar(std::string_view text) {
  const bool single = text.starts_with('\''), twice = text.starts_with('"');
  if (!single && !twice) return std::string(text);
  if (text.size() < 2 || text.back() != text.front()) return std::nullopt;
  std::string_view rest = text.substr(1, text.size() - 2);
  std::string scalar;
  while (!rest.empty()) {
    const char byte = rest.front();
    rest.remove_prefix(1);
    if (byte == text.front()) {  // '' stands for '
      if (!single || !rest.starts_with('\'')) return std::nullopt;
      rest.remove_prefix(1);
      scalar += byte;
    } else if (twice && byte == '\\') {
      const auto code = unescaped(rest);
      if (!code) return std::nullopt;
      append_utf8(*code, scalar);
    } else {
      scalar += byte;
    }
  }
  return scalar;
}

std::string_view trimmed(std::string_view text) { return dietmt::trimmed(text, " \t"); }

/// Pieces with the lines that name them.
class Found {
 public:
  void add(const Lines& lines, const std::string& piece) {
    if (piece.empty()) lines.fail("the piece is empty");
    const auto [place, is_new] = lines_.emplace(piece, lines.number());
    if (!is_new)
      lines.fail("the piece '" + piece + "' is in line " + std::to_string(place->second) + " too");
  }

 private:
  std::unordered_map<std::string, size_t> lines_;
};

bool is_counted(std::string_view line) { return line.find_first_of(" \t") != line.npos; }

// PIECE of "PIECE COUNT". fairseq may add a remark that the piece replaces a special one.
std::optional<std::string_view> without_count(std::string_view line) {
  constexpr std::string_view kRemark = " #fairseq:overwrite";
  if (line.ends_with(kRemark)) line.remove_suffix(kRemark.size());
  const size_t at = line.find_last_of(" \t");
  if (at == line.npos || !number_in<int64_t>(line.substr(at + 1))) return std::nullopt;
  const std::string_view piece = line.substr(0, at);
  if (is_counted(piece)) return std::nullopt;
  return piece;
}

void require_no_sentencepiece(const std::vector<std::string>& pieces, const std::string& file) {
  const auto marked = std::ranges::count_if(
      pieces, [](const std::string& piece) { return piece.starts_with(kWordBegin); });
  if (10 * marked > std::ssize(pieces))
    throw DataError(file + ": these are pieces of a sentencepiece model (" +
                    std::string(kWordBegin) +
                    "); give that model instead, and text that is not cut into pieces");
}

int32_t place_of(std::vector<std::string>& pieces, const std::string& piece) {
  if (const int32_t id = piece_id(pieces, piece); id >= 0) return id;
  pieces.push_back(piece);
  return static_cast<int32_t>(pieces.size()) - 1;
}

}  // namespace

std::vector<std::string> pieces_of_lines(std::string_view text, const std::string& file) {
  std::vector<std::string> pieces;
  Found found;
  Lines lines(text, file);
  bool counted = false;
  for (std::string_view line; lines.next(line);) {
    if (lines.number() == 1) counted = is_counted(line);
    const std::optional<std::string_view> piece = counted ? without_count(line) : line;
    if (!piece || is_counted(*piece)) {
      lines.fail(std::string("not a line of a vocabulary: must be ") +
                 (counted ? "a piece, a space or tab, and its count" : "one piece without spaces"));
    }
    found.add(lines, std::string(*piece));
    pieces.emplace_back(*piece);
  }
  return pieces;
}

int32_t piece_id(const std::vector<std::string>& pieces, const std::string& piece) {
  const auto found = std::ranges::find(pieces, piece);
  return found == pieces.end() ? -1 : static_cast<int32_t>(found - pieces.begin());
}

std::vector<std::string> list_lines(std::string_view text, const std::string& file) {
  std::vector<std::string> all;
  Lines lines(text, file);
  for (std::string_view line; lines.next(line);) all.emplace_back(line);
  return all;
}

std::vector<std::string> marian_pieces(std::string_view text, const std::string& file) {
  std::vector<std::string> pieces;
  Found found;
  Lines lines(text, file);
  // Ids may have gaps, but a short file does not make a large vocabulary.
  const size_t largest = 2 * static_cast<size_t>(std::ranges::count(text, '\n')) + 1000;
  std::string_view explicit_key;  // of "? KEY", whose next line is ": ID"
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#') || line == "---") continue;
    const size_t colon = line.rfind(':');
    const std::string_view value =
        colon == line.npos ? std::string_view() : trimmed(line.substr(colon + 1));
    const std::optional<size_t> id = number_in<size_t>(value);
    if (line.starts_with("? ") && !id) {
      explicit_key = trimmed(line.substr(2));
      continue;
    }
    const std::string_view key = colon == 0 ? std::exchange(explicit_key, {})
                                            : trimmed(line.substr(0, std::min(colon, line.size())));
    const std::optional<std::string> piece = yaml_scalar(key);
    if (piece && !id && !value.empty())
      lines.fail("'" + *piece + "' has the id '" + std::string(value) + "'");
    if (!id || !piece || !explicit_key.empty())
      lines.fail("not a line of a vocabulary: must be 'PIECE: ID'");
    found.add(lines, *piece);
    if (*id > largest) lines.fail("the id of '" + *piece + "' is too large");
    if (*id >= pieces.size()) pieces.resize(*id + 1);
    if (!pieces[*id].empty())
      lines.fail("'" + pieces[*id] + "' and '" + *piece + "' have the same id");
    pieces[*id] = *piece;
  }
  return pieces;
}

PieceVocabulary listed_vocabulary(std::string_view text, const std::string& file) {
  const std::string kind = std::filesystem::path(file).extension();
  PieceVocabulary vocabulary;
  std::vector<std::string>& pieces = vocabulary.pieces;
  const bool is_marian = kind == ".yml" || kind == ".yaml";
  pieces = is_marian ? marian_pieces(text, file) : pieces_of_lines(text, file);
  if (!is_marian) require_no_sentencepiece(pieces, file);
  if (pieces.empty()) throw DataError(file + ": the vocabulary is empty");
  for (size_t id = 0; id < pieces.size(); ++id)
    if (pieces[id].empty()) pieces[id] = "<unused " + std::to_string(id) + ">";
  const auto lacks = [&](const char* piece) { return piece_id(pieces, piece) < 0; };
  if (lacks(kUnknown) && lacks(kBegin) && lacks(kEnd)) {
    std::vector<std::string> special = {kBegin, "<pad>", kEnd, kUnknown};
    if (!lacks("<pad>")) special.erase(special.begin() + 1);
    pieces.insert(pieces.begin(), special.begin(), special.end());
  }
  vocabulary.unknown = place_of(pieces, kUnknown);
  vocabulary.begin = place_of(pieces, kBegin);
  vocabulary.end = place_of(pieces, kEnd);
  return vocabulary;
}

}  // namespace dietmt::data
