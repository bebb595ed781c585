// Where cleaning reads pairs of lines from: two texts, or lines that hold both sides.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// Records as they were read, one after the other in `bytes`. A record is a line of each of two
/// texts, or a line with both sides, whose second part is empty.
struct RawPairs {
  struct Place {
    size_t begin = 0, first = 0, second = 0;  // sizes of its parts
    bool is_cut = false;                      // longer than kMaxLineBytes
  };

  std::string bytes;
  std::vector<Place> places;
  int64_t first_number = 1;  // of the first record in the input

  void add(std::string_view first, std::string_view second, bool is_cut);
  std::string_view first(size_t record) const;
  std::string_view second(size_t record) const;
};

/// The sides of a record, as views of it or of `owned`.
struct SplitPair {
  std::string_view source, target;
  std::optional<double> score = {};
  std::unique_ptr<std::string> owned = {};
};

class PairSource {
 public:
  virtual ~PairSource() = default;

  /// Appends the next record. False at the end. Throws DataError if the input cannot be read, or if
  /// one of two texts is longer.
  virtual bool next(RawPairs& pairs) = 0;

  /// False if the record has no two sides. Called from several threads. Here the parts of a record
  /// are its sides.
  virtual bool split(std::string_view first, std::string_view second, SplitPair& pair) const {
    pair.source = first;
    pair.target = second;
    return true;
  }

  /// Whether the first part of a record is a line that holds both sides.
  virtual bool has_whole_lines() const { return false; }
};

/// The next records, as many as a thread handles at once and at most `most`; nullopt at the end.
std::optional<RawPairs> read_pairs(PairSource& source, int64_t first_number, int64_t most);

/// Lines of two files, or of columns of them (TextColumn).
std::unique_ptr<PairSource> open_text_pairs(const std::string& source, const std::string& target);

/// Which parts of a line hold the sides and the score: numbers of columns, or names of fields in
/// JSON, with dots for fields of fields: translation.en. An empty score: none.
struct PairColumns {
  std::string source, target, score = {};
};

/// Tab-separated lines. Throws ConfigError for columns that are no numbers.
std::unique_ptr<PairSource> open_tsv(const std::string& file, const PairColumns& columns);

/// The units of a translation memory that have both languages, with the first variant of each. Tags
/// inside segments are left out. A unit without both counts as unreadable.
std::unique_ptr<PairSource> open_tmx(const std::string& file, const std::string& source,
                                     const std::string& target);

/// A JSON object in each line.
std::unique_ptr<PairSource> open_json_lines(const std::string& file, const PairColumns& columns);

}  // namespace dietmt::data
