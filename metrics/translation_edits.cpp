#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "metrics/ter.h"

namespace dietmt::metrics {
namespace {

constexpr int64_t kMaxShiftSize = 10;
constexpr int64_t kMaxShiftDistance = 50;
constexpr int64_t kBeamWidth = 25;
constexpr int64_t kMaxShiftCandidates = 1000;
constexpr int32_t kInfinity = 1'000'000'000;

enum Operation : char { kMatch, kSubstitute, kDelete, kInsert };

// Which words the edit distance pairs, and which words are in error.
struct Alignment {
  Symbols::size_type hypothesis_words, reference_words;
  std::vector<int64_t> partner = std::vector<int64_t>(reference_words, -1);  // -1: before the first
  std::vector<char> hypothesis_error = std::vector<char>(hypothesis_words, 0);
  std::vector<char> reference_error = std::vector<char>(reference_words, 0);
};

// Levenshtein distance of hypotheses of one length to a reference, inside a band around the
// diagonal. Row i of the table belongs to the first i words of the hypothesis; of its columns j
// only those of the band are stored, with one infinite cell before and some after, so that the
// next row never reads outside.
class BandedDistance {
 public:
  BandedDistance(size_t hypothesis_words, const Symbols& reference)
      : rows_(static_cast<int64_t>(hypothesis_words)),
        columns_(static_cast<int64_t>(reference.size())),
        reference_(reference) {
    lay_out_bands();
    for (int64_t j = 0; j <= columns_; ++j) costs_[cell(0, j)] = static_cast<int32_t>(j);
    trial_ = costs_;
  }

  // Fills the table for `words` and keeps it.
  int32_t compute(const Symbols& words) {
    for (int64_t i = 1; i <= rows_; ++i) fill_row<true>(words, i, costs_.data(), costs_.data());
    return costs_[cell(rows_, columns_)];
  }

  // The distance for `words`, which equal those of the last compute() before position `first`.
  int32_t distance_from(const Symbols& words, int64_t first) {
    for (int64_t i = first + 1; i <= rows_; ++i)
      fill_row<false>(words, i, i == first + 1 ? costs_.data() : trial_.data(), trial_.data());
    return (first < rows_ ? trial_ : costs_)[cell(rows_, columns_)];
  }

  // The alignment of the last compute().
  Alignment alignment() const {
    Alignment result{static_cast<size_t>(rows_), static_cast<size_t>(columns_)};
    for (int64_t i = rows_, j = columns_; i > 0 || j > 0;) {
      const Operation operation = i == 0 ? kInsert : operations_[cell(i, j)];
      const bool error = operation != kMatch;
      if (operation != kDelete) {
        result.partner[static_cast<size_t>(j - 1)] = i - 1;
        result.reference_error[static_cast<size_t>(j - 1)] = error;
      }
      if (operation != kInsert) result.hypothesis_error[static_cast<size_t>(i - 1)] = error;
      i -= operation != kInsert;
      j -= operation != kDelete;
    }
    return result;
  }

 private:
  struct Band {
    int64_t begin, end;  // columns that are computed
    int64_t offset;      // of column 0 in the stored cells; may be negative
  };

  size_t cell(int64_t i, int64_t j) const {
    return static_cast<size_t>(bands_[static_cast<size_t>(i)].offset + j);
  }

  void lay_out_bands() {
    const double ratio =
        rows_ > 0 ? static_cast<double>(columns_) / static_cast<double>(rows_) : 1.0;
    const int64_t width = kBeamWidth < ratio / 2
                              ? static_cast<int64_t>(std::ceil(ratio / 2 + kBeamWidth))
                              : kBeamWidth;
    bands_.push_back({0, columns_ + 1, 0});
    for (int64_t i = 1; i <= rows_; ++i) {
      const auto diagonal = static_cast<int64_t>(std::floor(static_cast<double>(i) * ratio));
      const int64_t end = i == rows_ ? columns_ + 1 : std::min(columns_ + 1, diagonal + width);
      bands_.push_back({std::max<int64_t>(0, diagonal - width), end, 0});
    }
    int64_t stored = 0;
    for (size_t i = 0; i < bands_.size(); ++i) {
      Band& band = bands_[i];
      const int64_t last = i + 1 < bands_.size() ? std::max(band.end, bands_[i + 1].end) : band.end;
      band.offset = stored - (band.begin - 1);
      stored += last - (band.begin - 1);
    }
    costs_.assign(static_cast<size_t>(stored), kInfinity);
    operations_.assign(static_cast<size_t>(stored), kMatch);
  }

  // On equal cost tercom prefers match or substitution, then deletion, then insertion.
  template <bool kKeepOperations>
  void fill_row(const Symbols& words, int64_t i, const int32_t* above_table, int32_t* table) {
    const Band& band = bands_[static_cast<size_t>(i)];
    const int64_t above_offset = bands_[static_cast<size_t>(i - 1)].offset;
    const uint32_t word = words[static_cast<size_t>(i - 1)];
    int32_t left = kInfinity;
    for (int64_t j = band.begin; j < band.end; ++j) {
      const int32_t* above = above_table + (above_offset + j);
      const bool match = j > 0 && reference_[static_cast<size_t>(j - 1)] == word;
      int32_t cost = j == 0 ? kInfinity : above[-1] + (match ? 0 : 1);
      Operation operation = match ? kMatch : kSubstitute;
      if (above[0] + 1 < cost) {
        cost = above[0] + 1;
        operation = kDelete;
      }
      if (left + 1 < cost) {
        cost = left + 1;
        operation = kInsert;
      }
      table[band.offset + j] = left = cost;
      if (kKeepOperations) operations_[static_cast<size_t>(band.offset + j)] = operation;
    }
  }

  int64_t rows_;
  int64_t columns_;
  const Symbols& reference_;
  std::vector<Band> bands_;
  std::vector<int32_t> costs_;
  std::vector<int32_t> trial_;
  std::vector<Operation> operations_;
};

// Moves `length` words from `start` in front of the word at `target`; a target inside the sequence
// moves the sequence by the difference.
void shift_words(const Symbols& words, int64_t start, int64_t length, int64_t target,
                 Symbols& shifted) {
  shifted = words;
  const auto at = [&](int64_t i) {
    return shifted.begin() + std::min<int64_t>(i, static_cast<int64_t>(words.size()));
  };
  if (target < start)
    std::rotate(at(target), at(start), at(start + length));
  else if (target > start + length)
    std::rotate(at(start), at(start + length), at(target));
  else
    std::rotate(at(start), at(start + length), at(target + length));
}

bool any_error(const std::vector<char>& errors, int64_t start, int64_t length) {
  const auto first = errors.begin() + start;
  return std::any_of(first, first + length, [](char error) { return error != 0; });
}

class ShiftSearch {
 public:
  ShiftSearch(const Symbols& hypothesis, const Symbols& reference)
      : words_(hypothesis), reference_(reference), distance_(hypothesis.size(), reference) {}

  int64_t edits() {
    int64_t shifts = 0;
    for (;;) {
      cost_ = distance_.compute(words_);
      find_best_shift();
      if (tried_ >= kMaxShiftCandidates || !best_ || best_->gain <= 0) return shifts + cost_;
      shift_words(words_, best_->start, best_->length, best_->target, shifted_);
      std::swap(words_, shifted_);
      ++shifts;
    }
  }

 private:
  struct Shift {
    int64_t gain, length, start, target;
    // Larger gain, then longer, then from further left, then to further left.
    bool better_than(const Shift& other) const {
      return std::tuple(gain, length, -start, -target) >
             std::tuple(other.gain, other.length, -other.start, -other.target);
    }
  };

  void find_best_shift() {
    best_.reset();
    alignment_.emplace(distance_.alignment());
    const auto hypothesis_words = static_cast<int64_t>(words_.size());
    const auto reference_words = static_cast<int64_t>(reference_.size());
    for (int64_t start = 0; start < hypothesis_words; ++start) {
      const int64_t begin = std::max<int64_t>(0, start - kMaxShiftDistance);
      const int64_t end = std::min(reference_words, start + kMaxShiftDistance + 1);
      for (int64_t to = begin; to < end; ++to) {
        const int64_t longest =
            std::min({kMaxShiftSize, hypothesis_words - start, reference_words - to});
        for (int64_t length = 1; length <= longest && same_word(start, to, length - 1); ++length) {
          if (!worth_trying(start, to, length)) continue;
          try_targets(start, to, length);
          if (tried_ >= kMaxShiftCandidates) return;
        }
      }
    }
  }

  bool same_word(int64_t start, int64_t to, int64_t offset) const {
    return words_[static_cast<size_t>(start + offset)] ==
           reference_[static_cast<size_t>(to + offset)];
  }

  // The sequence has an error on both sides, and does not already lie across its place.
  bool worth_trying(int64_t start, int64_t to, int64_t length) const {
    const int64_t partner = alignment_->partner[static_cast<size_t>(to)];
    return any_error(alignment_->hypothesis_error, start, length) &&
           any_error(alignment_->reference_error, to, length) &&
           !(start <= partner && partner < start + length);
  }

  // Targets: the start, and after the partners of the reference words before and in the sequence.
  void try_targets(int64_t start, int64_t to, int64_t length) {
    int64_t previous = -1;
    for (int64_t position = to - 1; position < to + length; ++position) {
      const int64_t target =
          position < 0 ? 0 : alignment_->partner[static_cast<size_t>(position)] + 1;
      if (target == previous) continue;
      previous = target;
      shift_words(words_, start, length, target, shifted_);
      const int32_t cost = distance_.distance_from(shifted_, std::min(start, target));
      const Shift shift{cost_ - cost, length, start, target};
      ++tried_;
      if (!best_ || shift.better_than(*best_)) best_ = shift;
    }
  }

  Symbols words_;
  Symbols shifted_;
  const Symbols& reference_;
  BandedDistance distance_;
  int64_t cost_ = 0;
  int64_t tried_ = 0;
  std::optional<Alignment> alignment_;
  std::optional<Shift> best_;
};

}  // namespace

int64_t translation_edits(const Symbols& hypothesis, const Symbols& reference) {
  if (reference.empty()) return static_cast<int64_t>(hypothesis.size());
  return ShiftSearch(hypothesis, reference).edits();
}

}  // namespace dietmt::metrics
