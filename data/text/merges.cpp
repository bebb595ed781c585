#include "data/text/merges.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "common/error.h"
#include "data/text/piece_list.h"

namespace dietmt::data {
namespace {

constexpr int32_t kNone = -1;
constexpr std::string_view kVersion = "#version";

uint64_t key_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

bool is_count(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

/// The symbols of a word, linked in their order, and the pairs of neighbours that can be joined.
class Merges::Word {
 public:
  Word(const Merges& merges, std::string_view word, const std::vector<size_t>& ends)
      : merges_(merges) {
    size_t begin = 0;
    for (size_t i = 0; i < ends.size(); ++i) {
      const auto found = merges.symbols_.find(std::string(word.substr(begin, ends[i] - begin)));
      const int32_t symbol = found == merges.symbols_.end() ? kNone : found->second;
      places_.push_back(
          {symbol, ends[i], static_cast<int32_t>(i) - 1, static_cast<int32_t>(i) + 1});
      begin = ends[i];
    }
    if (!places_.empty()) places_.back().next = kNone;
    for (size_t i = 0; i + 1 < places_.size(); ++i) add(static_cast<int32_t>(i));
  }

  void join_all() {
    while (!pairs_.empty()) {
      const auto [rank, left, first, second] = pairs_.top();
      pairs_.pop();
      Place& place = places_[static_cast<size_t>(left)];
      if (place.symbol != first || place.next == kNone) continue;
      Place& other = places_[static_cast<size_t>(place.next)];
      if (other.symbol != second) continue;
      place.symbol = merges_.find(first, second)->symbol;
      place.end = other.end;
      place.next = other.next;
      other.symbol = kNone;
      if (place.next != kNone) places_[static_cast<size_t>(place.next)].previous = left;
      add(place.previous);
      add(left);
    }
  }

  std::vector<size_t> ends() const {
    std::vector<size_t> found;
    for (int32_t at = places_.empty() ? kNone : 0; at != kNone;
         at = places_[static_cast<size_t>(at)].next)
      found.push_back(places_[static_cast<size_t>(at)].end);
    return found;
  }

 private:
  struct Place {
    int32_t symbol;
    size_t end;
    int32_t previous, next;
  };
  using Candidate = std::tuple<int32_t, int32_t, int32_t, int32_t>;  // rank, place, both symbols

  void add(int32_t left) {
    if (left == kNone) return;
    const Place& place = places_[static_cast<size_t>(left)];
    if (place.next == kNone) return;
    const int32_t second = places_[static_cast<size_t>(place.next)].symbol;
    if (const Pair* pair = merges_.find(place.symbol, second))
      pairs_.emplace(pair->rank, left, place.symbol, second);
  }

  const Merges& merges_;
  std::vector<Place> places_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> pairs_;
};

Merges::Merges(std::string_view text, const std::string& file, const Reading& read) {
  const std::vector<std::string> lines = list_lines(text, file);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const auto fail = [&](const std::string& problem) {
      throw DataError(file + ":" + std::to_string(i + 1) + ": " + problem);
    };
    if (i == 0 && line.starts_with(kVersion)) continue;
    const size_t middle = line.find(' ');
    const size_t end = middle == line.npos ? line.npos : line.find(' ', middle + 1);
    const std::string_view left = line.substr(0, middle);
    const std::string_view right =
        middle == line.npos ? ""
                            : line.substr(middle + 1, end == line.npos ? end : end - middle - 1);
    if (left.empty() || right.empty() || (end != line.npos && !is_count(line.substr(end + 1))))
      fail("not a merge: must be two symbols with a space between them");
    try {
      const std::string first = read(left), second = read(right);
      const uint64_t key = key_of(add_symbol(first), add_symbol(second));
      pairs_.emplace(key, Pair{static_cast<int32_t>(i), add_symbol(first + second)});
    } catch (const DataError& error) {
      fail(error.what());
    }
  }
}

int32_t Merges::add_symbol(const std::string& symbol) {
  return symbols_.emplace(symbol, static_cast<int32_t>(symbols_.size())).first->second;
}

const Merges::Pair* Merges::find(int32_t left, int32_t right) const {
  const auto found = pairs_.find(key_of(left, right));
  return found == pairs_.end() ? nullptr : &found->second;
}

std::vector<size_t> Merges::joined(std::string_view word, const std::vector<size_t>& ends) const {
  Word symbols(*this, word, ends);
  symbols.join_all();
  return symbols.ends();
}

}  // namespace dietmt::data
