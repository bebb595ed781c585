// One row of the table of position encodings: its syntax in a spec, and the module that is built
// from it. Parsing, error messages, help and documentation are made from these rows. Each encoding
// writes its own row, with the defaults of its options struct.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encoders/position/position_encoding.h"

namespace dietmt::encoders {

/// One option of an encoding. A value is one of `words`, or a number if there is a `minimum`.
struct EncodingOption {
  std::string name;
  std::string default_value;
  std::vector<std::string> words;
  std::optional<int64_t> minimum;
  std::string meaning;

  bool accepts(const std::string& value) const;

  /// Drops the leading zeros of a number; words stay. The value must be accepted.
  std::string normalized(const std::string& value) const;

  /// E.g. "none|layers|heads|all" or "a number from 1 to 1048576".
  std::string possible() const;
};

/// The values of all options of one encoding, checked against its row.
class OptionValues {
 public:
  explicit OptionValues(const std::vector<EncodingOption>& options);

  void set(const std::string& name, const std::string& value) { values_[name] = value; }
  /// Throws std::logic_error if the row has no such option.
  const std::string& text(const std::string& name) const;
  int64_t number(const std::string& name) const { return std::stoll(text(name)); }
  bool flag(const std::string& name) const { return text(name) == "true"; }

  /// The number of a number_or_option(); none: its word.
  std::optional<int64_t> number_or_none(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

/// Where an encoding acts: it adds to the embeddings; or it owns heads, whose scores it changes;
/// or it adds to the scores of all heads, whatever encodings own them.
enum class EncodingLevel { kInput, kHeads, kAllHeads };

/// The attention an encoding is defined for.
struct EncodingSites {
  bool encoder = true;
  bool decoder = true;
  bool cross = false;

  bool contains(AttentionSite site) const;
};

using MadeEncoding = std::shared_ptr<PositionEncoding>;

inline void accept_all(const OptionValues&, const EncodingContext&) {}
inline double no_parameters(const OptionValues&, const EncodingContext&) { return 0.0; }

struct EncodingRow {
  std::string name;
  std::string formula;
  EncodingLevel level = EncodingLevel::kHeads;
  EncodingSites sites = {};
  std::string not_mixed = {};    // why it cannot own only some of the heads; empty: it can
  bool compresses_keys = false;  // so no encoding adds to the scores of single words
  bool position_only = false;    // its scores do not depend on words: it gets the option "cls"
  bool offset_vectors = false;   // relative_keys: the same, for inputs that start with [CLS]
  std::vector<EncodingOption> options = {};
  /// Throws ConfigError if the values do not fit together or this context; make() relies on it.
  void (*check)(const OptionValues&, const EncodingContext&) = accept_all;
  /// The number of parameters that make() registers, counted without making them.
  double (*parameters)(const OptionValues&, const EncodingContext&) = no_parameters;
  MadeEncoding (*make)(const OptionValues&, const EncodingContext&);

  /// Null if there is no such option.
  const EncodingOption* option(const std::string& option_name) const;

  /// Whether the row has the option of summary_option().
  bool may_untie_summary() const { return position_only || offset_vectors; }
  /// Whether the values of such a row ask for reset() (summary_reset.h).
  bool unties_summary(const OptionValues& values) const;
  /// What shares the numbers of reset(): as "share" says, or the layers.
  Sharing summary_sharing(const OptionValues& values) const;
};

/// EncodingRow::make for an encoding without options.
template <typename Encoding>
MadeEncoding make_encoding(const OptionValues&, const EncodingContext& context) {
  return std::make_shared<Encoding>(context);
}

/// EncodingRow::make for an encoding whose options struct kRead fills from the values.
template <typename Encoding, auto kRead>
MadeEncoding make_encoding(const OptionValues& values, const EncodingContext& context) {
  return std::make_shared<Encoding>(kRead(values), context);
}

EncodingOption number_option(const std::string& name, int64_t default_value, int64_t minimum,
                             const std::string& meaning);
EncodingOption flag_option(const std::string& name, bool default_value, const std::string& meaning);
/// A number from `minimum`, or `word` in its place.
EncodingOption number_or_option(const std::string& name, const std::string& word,
                                std::optional<int64_t> default_value, int64_t minimum,
                                const std::string& meaning);

/// A word of a spec and its value.
template <typename T>
struct Choice {
  const char* word;
  T value;
};

template <typename T, size_t kCount>
EncodingOption choice_option(const std::string& name, const std::array<Choice<T>, kCount>& choices,
                             T default_value, const std::string& meaning) {
  EncodingOption option{name, {}, {}, {}, meaning};
  for (const Choice<T>& choice : choices) {
    option.words.push_back(choice.word);
    if (choice.value == default_value) option.default_value = choice.word;
  }
  return option;
}

template <typename T, size_t kCount>
T choice_of(const OptionValues& values, const std::string& name,
            const std::array<Choice<T>, kCount>& choices) {
  for (const Choice<T>& choice : choices)
    if (values.text(name) == choice.word) return choice.value;
  return choices.front().value;
}

/// The option "cls" of rows that are position_only or have offset_vectors.
EncodingOption summary_option();

/// The option "share" of encodings that share a table, and its value.
EncodingOption share_option(Sharing default_value);
Sharing sharing_of(const OptionValues& values);

}  // namespace dietmt::encoders
