#include "data/cleaning/pair_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/numbers.h"
#include "common/text_io.h"
#include "data/corpus/parallel_reader.h"
#include "data/text/text_column.h"

namespace dietmt::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Without the carriage return of CR/LF and the mark at the start of a file.
std::string_view bare_line(const LineReader& reader, std::string_view line) {
  if (reader.line_number() == 1 && line.starts_with(kByteOrderMark))
    line.remove_prefix(kByteOrderMark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

class TextPairSource final : public PairSource {
 public:
  TextPairSource(const std::string& source, const std::string& target)
      : source_name_(source), target_name_(target), source_(source), target_(target) {}

  bool next(RawPairs& pairs) override {
    const bool has_source = source_.next(source_line_);
    const bool has_target = target_.next(target_line_);
    if (has_source != has_target)
      refuse_unequal(source_name_, source_, target_name_, target_, has_source);
    if (!has_source) return false;
    pairs.add(bare_line(source_, source_line_), bare_line(target_, target_line_),
              source_.bytes_cut() > 0 || target_.bytes_cut() > 0);
    return true;
  }

 private:
  std::string source_name_, target_name_;
  TextReader source_, target_;
  std::string source_line_, target_line_;
};

class LinePairSource : public PairSource {
 public:
  explicit LinePairSource(const std::string& file)
      : reader_(file, kMaxLineBytes, LongLines::kCut) {}

  bool next(RawPairs& pairs) override {
    if (!reader_.next(line_)) return false;
    pairs.add(bare_line(reader_, line_), {}, reader_.bytes_cut() > 0);
    return true;
  }

  bool has_whole_lines() const override { return true; }

 private:
  LineReader reader_;
  std::string line_;
};

std::optional<double> score_from(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto score = number_in<double>(text);
  return score && std::isfinite(*score) ? score : std::nullopt;
}

size_t column_number(const std::string& text) {
  const size_t number = number_in<size_t>(text).value_or(0);
  if (number == 0 || number > 10'000)
    throw ConfigError("column '" + text + "' must be a number from 1 to 10000");
  return number;
}

class TsvSource final : public LinePairSource {
 public:
  TsvSource(const std::string& file, const PairColumns& columns)
      : LinePairSource(file),
        source_(column_number(columns.source)),
        target_(column_number(columns.target)),
        score_(columns.score.empty() ? 0 : column_number(columns.score)),
        last_(std::max({source_, target_, score_})) {}

  bool split(std::string_view line, std::string_view, SplitPair& pair) const override {
    for (size_t column = 1, begin = 0;; ++column) {
      const size_t end = std::min(line.find('\t', begin), line.size());
      const std::string_view cell = line.substr(begin, end - begin);
      if (column == source_) pair.source = cell;
      if (column == target_) pair.target = cell;
      if (column == score_) pair.score = score_from(cell);
      if (column == last_) return true;
      if (end == line.size()) return false;
      begin = end + 1;
    }
  }

 private:
  size_t source_, target_, score_, last_;
};

class JsonSource final : public LinePairSource {
 public:
  JsonSource(const std::string& file, const PairColumns& columns)
      : LinePairSource(file),
        source_(steps_to(columns.source)),
        target_(steps_to(columns.target)),
        score_(steps_to(columns.score)) {}

  bool split(std::string_view line, std::string_view, SplitPair& pair) const override {
    const nlohmann::json object = parsed(line);
    const nlohmann::json* const source = find(object, source_);
    const nlohmann::json* const target = find(object, target_);
    if (source == nullptr || target == nullptr || !source->is_string() || !target->is_string())
      return false;
    const auto& source_text = source->get_ref<const std::string&>();
    pair.owned = std::make_unique<std::string>(source_text + target->get_ref<const std::string&>());
    std::ranges::replace(*pair.owned, '\n', ' ');  // a line of text has none
    pair.source = std::string_view(*pair.owned).substr(0, source_text.size());
    pair.target = std::string_view(*pair.owned).substr(source_text.size());
    const nlohmann::json* const score = score_.empty() ? nullptr : find(object, score_);
    if (score != nullptr && score->is_number()) pair.score = score->get<double>();
    return true;
  }

 private:
  using Steps = std::vector<std::string>;

  static Steps steps_to(const std::string& field) {
    Steps steps;
    std::istringstream stream(field);
    for (std::string step; std::getline(stream, step, '.');) steps.push_back(step);
    return steps;
  }

  // Null for what is no JSON.
  static nlohmann::json parsed(std::string_view line) {
    try {
      return parse_json(line);
    } catch (const CheckpointError&) {
      return nullptr;
    }
  }

  static const nlohmann::json* find(const nlohmann::json& object, const Steps& steps) {
    const nlohmann::json* at = &object;
    for (const std::string& step : steps) {
      if (!at->is_object()) return nullptr;
      const auto found = at->find(step);
      if (found == at->end()) return nullptr;
      at = &*found;
    }
    return at;
  }

  Steps source_, target_, score_;
};

}  // namespace

void RawPairs::add(std::string_view first, std::string_view second, bool is_cut) {
  places.push_back({bytes.size(), first.size(), second.size(), is_cut});
  bytes += first;
  bytes += second;
}

std::string_view RawPairs::first(size_t record) const {
  const Place& place = places[record];
  return std::string_view(bytes).substr(place.begin, place.first);
}

std::string_view RawPairs::second(size_t record) const {
  const Place& place = places[record];
  return std::string_view(bytes).substr(place.begin + place.first, place.second);
}

std::optional<RawPairs> read_pairs(PairSource& source, int64_t first_number, int64_t most) {
  constexpr size_t kBytes = 1 << 20;
  constexpr int64_t kPairs = 1 << 14;
  RawPairs pairs;
  pairs.first_number = first_number;
  const auto size = static_cast<size_t>(std::min(most, kPairs));
  while (pairs.places.size() < size && pairs.bytes.size() < kBytes && source.next(pairs)) {
  }
  if (pairs.places.empty()) return std::nullopt;
  return pairs;
}

std::unique_ptr<PairSource> open_text_pairs(const std::string& source, const std::string& target) {
  return std::make_unique<TextPairSource>(source, target);
}

std::unique_ptr<PairSource> open_tsv(const std::string& file, const PairColumns& columns) {
  return std::make_unique<TsvSource>(file, columns);
}

std::unique_ptr<PairSource> open_json_lines(const std::string& file, const PairColumns& columns) {
  return std::make_unique<JsonSource>(file, columns);
}

}  // namespace dietmt::data
