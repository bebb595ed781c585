// Byte pair encoding by a list of merges (Sennrich et al. 2016), as subword-nmt, fastBPE and GPT-2
// store it: each line names two neighbouring symbols that become one, the most frequent pair first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dietmt::data {

class Merges {
 public:
  /// The symbol that a word of the list stands for. May throw DataError.
  using Reading = std::function<std::string(std::string_view)>;

  /// `text`: lines of LEFT RIGHT, or of LEFT RIGHT COUNT (fastBPE), perhaps after one that begins
  /// with #version. Of lines with the same pair, the first counts. Throws DataError with the line
  /// of `file`.
  Merges(std::string_view text, const std::string& file, const Reading& read);

  /// The ends of the symbols that are left of a word when no more pairs can be joined. Joins the
  /// pair that is first in the list, the leftmost of several. `ends`: of the symbols to begin with;
  /// the last is the size of the word. Takes n log n time for n of them.
  std::vector<size_t> joined(std::string_view word, const std::vector<size_t>& ends) const;

 private:
  struct Pair {
    int32_t rank;
    int32_t symbol;  // that both become
  };
  class Word;

  int32_t add_symbol(const std::string& symbol);
  const Pair* find(int32_t left, int32_t right) const;

  std::unordered_map<std::string, int32_t> symbols_;
  std::unordered_map<uint64_t, Pair> pairs_;
};

}  // namespace dietmt::data
