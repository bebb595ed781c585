// One row of the table of position encodings: what a user can write in a spec, and what is built
// from it. Parsing, error messages, help and documentation are made from these rows.
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

/// Where an encoding acts: it adds to the embeddings; or it owns heads, whose scores it changes; or
/// it adds to the scores of all heads, beside their owners.
enum class EncodingLevel { kInput, kHeads, kAllHeads };

/// The attention an encoding is defined for.
struct EncodingSites {
  bool encoder = true;
  bool decoder = true;
  bool cross = false;

  bool contains(AttentionSite site) const;
};

struct EncodingRow {
  std::string name;
  std::string formula;
  EncodingLevel level;
  EncodingSites sites;
  std::string not_mixed;  // why it cannot own some of the heads; empty: it can
  std::vector<EncodingOption> options;
  std::shared_ptr<PositionEncoding> (*make)(const OptionValues&, const EncodingContext&);

  /// Null if there is no such option.
  const EncodingOption* option(const std::string& option_name) const;
};

// Options that several rows have.
EncodingOption share_option(const std::string& default_value);
EncodingOption number_option(const std::string& name, const std::string& default_value,
                             int64_t minimum, const std::string& meaning);
EncodingOption flag_option(const std::string& name, const std::string& default_value,
                           const std::string& meaning);
/// A number, or `word` in its place.
EncodingOption number_or_option(const std::string& name, const std::string& word,
                                const std::string& default_value, const std::string& meaning);
Sharing sharing_of(const OptionValues& values);

/// The number of an option that number_or_option made; none: its word.
std::optional<int64_t> number_or_none(const OptionValues& values, const std::string& name);

}  // namespace dietmt::encoders
