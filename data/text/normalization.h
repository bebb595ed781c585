// What a sentencepiece model reads as the same: rules that replace characters before pieces are
// found. A model stores them compiled, so it normalizes alike in every program.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::data {

/// "nmt-nfkc" and "nfkc" are sentencepiece's own rules, "none" changes nothing. "nfc" replaces each
/// sequence of characters that Unicode calls equivalent to one character by its normal form, so
/// that a letter and its accent are one character, and leaves m², ½ and full-width letters as they
/// are.
struct Normalization {
  std::string name = "nmt-nfkc";
  bool lowercase = false;  // also folds the case; not with "nfc" and "none"

  bool operator==(const Normalization&) const = default;
  /// How sentencepiece calls the rules; it does not know "nfc".
  std::string rule() const;
};

/// The rules as a model stores them; empty for "none".
std::string compiled_rules(const Normalization& normalization);

/// A text in ICU's NFKC or NFC: nearly what the rules of this name make of it, to train pieces on.
std::string normalized_text(std::string_view text, const std::string& normalization);

}  // namespace dietmt::data
