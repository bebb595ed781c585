#include "data/pretraining/masking.h"

#include <algorithm>
#include <cmath>

#include "common/error.h"

namespace dietmt::data {
namespace {

constexpr int64_t kLongestWord = 16;  // pieces; a longer run is text without spaces

}  // namespace

std::vector<std::string> MaskingOptions::problems() const {
  std::vector<std::string> problems;
  if (!(rate > 0 && rate <= 1))
    problems.push_back("the share of tokens to mask must be above 0 and at most 1");
  if (!(mask_share >= 0 && random_share >= 0 && mask_share + random_share <= 1)) {
    problems.push_back(
        "the shares of [MASK] and of random pieces must not be negative, nor above 1 together");
  }
  return problems;
}

Masker::Masker(const BertTokenizer& tokenizer, const MaskingOptions& options)
    : options_(options),
      mask_id_(tokenizer.special().mask),
      continues_word_(static_cast<size_t>(tokenizer.vocabulary_size())) {
  throw_if_any(options.problems());
  const SpecialPieces& special = tokenizer.special();
  special_ = {special.pad, special.unknown, special.classify, special.separate, special.mask};
  std::ranges::sort(special_);
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (is_special(id)) continue;
    ordinary_.push_back(id);
    continues_word_[static_cast<size_t>(id)] = options.whole_words && tokenizer.continues_word(id);
  }
  if (ordinary_.empty()) throw DataError("the tokenizer has only special pieces");
}

bool Masker::is_special(int32_t id) const { return std::ranges::binary_search(special_, id); }

std::vector<Masker::Unit> Masker::units_of(std::span<const int32_t> tokens) const {
  std::vector<Unit> units;
  const auto part_long_ones = [&] {
    if (units.empty() || units.back().end - units.back().begin <= kLongestWord) return;
    const Unit unit = units.back();
    units.pop_back();
    for (int64_t row = unit.begin; row < unit.end; ++row) units.push_back({row, row + 1});
  };
  for (int64_t row = 0; row < std::ssize(tokens); ++row) {
    const int32_t id = tokens[static_cast<size_t>(row)];
    if (is_special(id)) continue;
    const bool continues =
        continues_word_[static_cast<size_t>(id)] && !units.empty() && units.back().end == row;
    if (continues) {
      ++units.back().end;
    } else {
      part_long_ones();
      units.push_back({row, row + 1});
    }
  }
  part_long_ones();
  return units;
}

std::vector<int64_t> Masker::choose_rows(std::span<const int32_t> tokens, Random& random) const {
  std::vector<Unit> units = units_of(tokens);
  random.shuffle(units);
  const auto wanted =
      std::max<int64_t>(1, std::llrint(options_.rate * static_cast<double>(tokens.size())));
  std::vector<int64_t> rows;
  const auto choose = [&](const Unit& unit) {
    for (int64_t row = unit.begin; row < unit.end; ++row) rows.push_back(row);
  };
  for (const Unit& unit : units) {
    if (std::ssize(rows) + unit.end - unit.begin <= wanted) choose(unit);
  }
  if (rows.empty() && !units.empty()) choose(units.front());
  std::ranges::sort(rows);
  return rows;
}

int32_t Masker::draw_piece(int32_t id, Random& random) const {
  const double fate = random.uniform();
  if (fate < options_.mask_share) return mask_id_;
  if (fate < options_.mask_share + options_.random_share)
    return ordinary_[random.below(ordinary_.size())];
  return id;
}

MaskedPieces Masker::mask(std::span<int32_t> tokens, uint64_t key) const {
  Random random(key);
  MaskedPieces masked;
  masked.rows = choose_rows(tokens, random);
  for (const int64_t row : masked.rows) {
    int32_t& id = tokens[static_cast<size_t>(row)];
    masked.ids.push_back(id);
    id = draw_piece(id, random);
  }
  return masked;
}

}  // namespace dietmt::data
