#include "data/corpus/unknown_pieces.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "common/error.h"
#include "data/text/source_text.h"
#include "data/text/text_characters.h"

namespace dietmt::data {

void UnknownPieces::add(const Tokenizer& tokenizer, std::string_view text,
                        std::span<const int32_t> ids) {
  pieces_ += std::ssize(ids);
  const auto unknown = std::ranges::count(ids, tokenizer.unknown_id());
  unknown_ += unknown;
  if (unknown > 0) count_characters(tokenizer, text);
}

void UnknownPieces::count_characters(const Tokenizer& tokenizer, std::string_view text) {
  const SpannedPieces pieces = tokenizer.encode_with_spans(text);
  for (size_t i = 0; i < pieces.ids.size(); ++i) {
    if (pieces.ids[i] != tokenizer.unknown_id()) continue;
    const auto [begin, end] = pieces.spans[i];
    std::string_view rest =
        text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    while (!rest.empty()) {
      const Character one = first_character_of(rest);
      if (!u_isUWhiteSpace(one.code)) ++characters_[static_cast<char32_t>(one.code)];
      rest.remove_prefix(one.bytes);
    }
  }
}

UnknownPieces& UnknownPieces::operator+=(const UnknownPieces& other) {
  pieces_ += other.pieces_;
  unknown_ += other.unknown_;
  for (const auto& [character, count] : other.characters_) characters_[character] += count;
  return *this;
}

double UnknownPieces::share() const {
  return pieces_ == 0 ? 0.0 : static_cast<double>(unknown_) / static_cast<double>(pieces_);
}

std::string UnknownPieces::characters(size_t most) const {
  std::vector<std::pair<int64_t, char32_t>> counts;
  for (const auto& [character, count] : characters_) counts.emplace_back(count, character);
  std::ranges::sort(counts, std::greater());
  counts.resize(std::min(counts.size(), most));
  std::string text;
  for (const auto& [count, character] : counts) {
    std::string written;
    append_utf8(character, written);
    text += fmt::format("{}{} (U+{:04X}) {} times", text.empty() ? "" : ", ", written,
                        static_cast<uint32_t>(character), count);
  }
  return text;
}

void UnknownPieces::check(const std::string& file, const Tokenizer& tokenizer,
                          bool is_allowed) const {
  if (share() <= kNoticed) return;
  const std::string problem =
      fmt::format("{}: {:.2g} % of the pieces are unknown to {}, most often {}", file,
                  100.0 * share(), tokenizer.file(), characters(5));
  if (share() > kRefused && !is_allowed && !tokenizer.sentencepiece().empty())
    throw DataError(problem +
                    "; use a tokenizer that has them, such as a new one with "
                    "--byte-fallback, or --allow-unknown to train on it");
  spdlog::warn("{}", problem);
}

}  // namespace dietmt::data
