// The table of position encodings: what can be written in a spec, and what is built from it.
// Parsing, error messages, help and documentation are made from it. A new encoding adds one row.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encoders/position/position_encoding.h"
#include "encoders/position/shared_table.h"

namespace dietmt::encoders {

/// One option of an encoding. A value is one of `words`, or a number if there is a `minimum`.
struct EncodingOption {
  std::string name;
  std::string default_value;
  std::vector<std::string> words;
  std::optional<int64_t> minimum;
  std::string meaning;

  bool accepts(const std::string& value) const;

  /// E.g. "none|layers|heads|all" or "a number from 1".
  std::string possible() const;
};

/// The values of all options of one encoding, checked against its row.
class OptionValues {
 public:
  explicit OptionValues(const std::vector<EncodingOption>& options);

  void set(const std::string& name, const std::string& value) { values_[name] = value; }
  const std::string& text(const std::string& name) const { return values_.at(name); }
  int64_t number(const std::string& name) const { return std::stoll(text(name)); }
  bool flag(const std::string& name) const { return text(name) == "true"; }

 private:
  std::map<std::string, std::string> values_;
};

/// Where an encoding acts: it adds to the embeddings, or to the scores of its heads.
enum class EncodingLevel { kInput, kScores };

struct EncodingRow {
  std::string name;
  std::string formula;
  EncodingLevel level;
  bool cross;  // defined between source and target positions
  std::vector<EncodingOption> options;
  std::shared_ptr<PositionEncoding> (*make)(const OptionValues&, const EncodingContext&);

  /// Null if there is no such option.
  const EncodingOption* option(const std::string& option_name) const;
};

const std::vector<EncodingRow>& encoding_table();

/// Null if there is no such encoding.
const EncodingRow* find_encoding(const std::string& name);

}  // namespace dietmt::encoders
