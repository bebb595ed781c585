#include "data/text/wordpiece.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "common/text_io.h"
#include "data/text/bert_tokenizer.h"

namespace dietmt::data {
namespace {

constexpr std::string_view kContinuation = "##";
constexpr size_t kMaxWordCharacters = 100;

void append_piece(int32_t id, int32_t begin, int32_t end, TextPieces& pieces) {
  pieces.ids.push_back(id);
  pieces.begins.push_back(begin);
  pieces.ends.push_back(end);
}

void cut_back(size_t size, TextPieces& pieces) {
  pieces.ids.resize(size);
  pieces.begins.resize(size);
  pieces.ends.resize(size);
}

}  // namespace

WordPieceTokenizer::WordPieceTokenizer(const std::filesystem::path& vocabulary_file,
                                       const BertTextOptions& options)
    : options_(options) {
  read_vocabulary(vocabulary_file);
}

void WordPieceTokenizer::read_vocabulary(const std::filesystem::path& file) {
  LineReader reader(file.string());
  for (std::string line; reader.next(line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (invalid_utf8_at(line) != std::string::npos)
      throw DataError(reader.where() + ": the piece is not UTF-8");
    longest_ = std::max(longest_, line.size());
    pieces_.push_back(line);
  }
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const std::string_view piece = pieces_[i];
    const auto id = static_cast<int32_t>(i);
    if (const auto [first, is_new] = first_pieces_.emplace(piece, id); !is_new) {
      throw DataError(file.string() + ":" + std::to_string(i + 1) + ": the piece '" + pieces_[i] +
                      "' is there twice, first in line " + std::to_string(first->second + 1));
    }
    if (piece.starts_with(kContinuation))
      later_pieces_.emplace(piece.substr(kContinuation.size()), id);
  }
  for (const auto& [name, field] : kSpecialPieces) {
    const auto found = first_pieces_.find(name);
    if (found == first_pieces_.end()) {
      throw DataError(file.string() + ":" + std::to_string(pieces_.size()) +
                      ": the vocabulary ends without the special piece " + std::string(name));
    }
    special_.*field = found->second;
  }
}

TextPieces WordPieceTokenizer::encode(std::string_view text) const {
  TextPieces pieces;
  for (const TextPart& segment : split_at_special_pieces(text, special_)) {
    if (segment.special_id >= 0) {
      append_piece(segment.special_id, segment.begin, segment.end, pieces);
      continue;
    }
    const auto characters = normalize(text, segment.begin, segment.end, options_);
    for (const auto word : split_words(characters)) append_word(word, pieces);
  }
  return pieces;
}

void WordPieceTokenizer::append_word(std::span<const SourceCharacter> word,
                                     TextPieces& pieces) const {
  const size_t pieces_before = pieces.ids.size();
  const auto append_unknown = [&] {
    cut_back(pieces_before, pieces);
    append_piece(special_.unknown, word.front().begin, word.back().end, pieces);
  };
  if (word.size() > kMaxWordCharacters) return append_unknown();

  std::string bytes;
  std::vector<size_t> places;  // of the characters in `bytes`, and its size
  for (const SourceCharacter& c : word) {
    places.push_back(bytes.size());
    append_utf8(c.code, bytes);
  }
  places.push_back(bytes.size());

  for (size_t begin = 0, end = 0; begin < word.size(); begin = end) {
    const Table& table = begin == 0 ? first_pieces_ : later_pieces_;
    auto found = table.end();
    for (end = std::min(word.size(), begin + longest_); end > begin; --end) {
      const size_t place = places[begin];
      found = table.find(std::string_view(bytes).substr(place, places[end] - place));
      if (found != table.end()) break;
    }
    if (found == table.end()) return append_unknown();
    append_piece(found->second, word[begin].begin, word[end - 1].end, pieces);
  }
}

std::string WordPieceTokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    const std::string_view piece = checked_piece(id);
    if (is_special(id, special_)) continue;
    if (continues_word(id) && !text.empty()) {
      text += piece.substr(kContinuation.size());
    } else {
      if (!text.empty()) text += ' ';
      text += piece;
    }
  }
  return text;
}

std::string WordPieceTokenizer::piece(int32_t id) const { return checked_piece(id); }

bool WordPieceTokenizer::continues_word(int32_t id) const {
  return checked_piece(id).starts_with(kContinuation);
}

const std::string& WordPieceTokenizer::checked_piece(int32_t id) const {
  if (id < 0 || id >= vocabulary_size())
    throw Error("piece id " + std::to_string(id) + " is outside the vocabulary");
  return pieces_[static_cast<size_t>(id)];
}

void WordPieceTokenizer::save(const std::filesystem::path& directory) const {
  std::string lines;
  for (const std::string& piece : pieces_) lines += piece + '\n';
  nlohmann::ordered_json config = {{"tokenizer_class", "BertTokenizer"},
                                   {"do_lower_case", options_.lowercase},
                                   {"strip_accents", nullptr},
                                   {"tokenize_chinese_chars", options_.split_chinese},
                                   {"pad_token", "[PAD]"},
                                   {"unk_token", "[UNK]"},
                                   {"cls_token", "[CLS]"},
                                   {"sep_token", "[SEP]"},
                                   {"mask_token", "[MASK]"}};
  if (options_.strip_accents) config["strip_accents"] = *options_.strip_accents;
  std::filesystem::create_directories(directory);
  write_file_atomically(directory / "vocab.txt", lines);
  write_file_atomically(directory / "tokenizer_config.json", config.dump(2) + "\n");
}

BertTextOptions read_text_options(const std::filesystem::path& directory) {
  std::filesystem::path file = directory / "tokenizer_config.json";
  if (!std::filesystem::exists(file)) file = directory / "config.json";
  BertTextOptions options;
  if (!std::filesystem::exists(file)) return options;
  try {
    const nlohmann::json config = nlohmann::json::parse(read_file(file));
    const auto flag = [&](const char* key) -> std::optional<bool> {
      const auto value = config.find(key);
      if (value == config.end() || value->is_null()) return std::nullopt;
      return value->get<bool>();
    };
    options.lowercase = flag("do_lower_case").value_or(options.lowercase);
    options.strip_accents = flag("strip_accents");
    options.split_chinese = flag("tokenize_chinese_chars").value_or(options.split_chinese);
  } catch (const nlohmann::json::exception& error) {
    throw DataError(file.string() + ": not a tokenizer configuration: " + json_problem(error));
  }
  return options;
}

}  // namespace dietmt::data
