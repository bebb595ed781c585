// Pairs or sides that occurred before, exactly or nearly.
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "data/cleaning/rule_kinds.h"
#include "data/corpus/duplicate_index.h"
#include "data/text/word_text.h"

namespace dietmt::data {
namespace {

// A side without letters counts with all its characters, or all numbers would be one.
void add_side(const SideText& side, const DuplicateKey& key, TextHash& hash) {
  const bool only_letters = key.letters_only && side.letters > 0;
  if (!only_letters && !key.lowercase) return hash.add(side.text.data(), side.text.size());
  const auto* bytes = reinterpret_cast<const uint8_t*>(side.text.data());
  const auto end = static_cast<int64_t>(side.text.size());
  std::array<UChar32, 64> chosen;
  size_t count = 0;
  for (int64_t at = 0; at < end;) {
    UChar32 code = 0;
    U8_NEXT(bytes, at, end, code);
    if (only_letters && (code < 0 || !u_isUAlphabetic(code))) continue;
    if (key.lowercase && code >= 0) {
      const bool is_capital = code >= 'A' && code <= 'Z';
      code = code < 0x80 ? code + (is_capital ? 'a' - 'A' : 0)
                         : static_cast<UChar32>(folded(static_cast<char32_t>(code)));
    }
    chosen[count++] = code;
    if (count < chosen.size()) continue;
    hash.add(chosen.data(), sizeof chosen);
    count = 0;
  }
  hash.add(chosen.data(), count * sizeof(UChar32));
}

DuplicateKey duplicate_key(const RuleSettings& settings, const PairFacts&) {
  const std::string& sides = settings.text("compare");
  return {.source = sides != "target" && sides != "1",
          .target = sides != "source" && sides != "0",
          .lowercase = settings.flag("lowercase"),
          .letters_only = settings.flag("letters_only"),
          .seed = TextHash::random_seed()};
}

}  // namespace

uint64_t DuplicateKey::of(const PairText& pair) const {
  TextHash hash(seed);
  if (source) add_side(pair.source, *this, hash);
  constexpr uint32_t kBetween = 0xFFFFFFFF;
  hash.add(&kBetween, sizeof kBetween);
  if (target) add_side(pair.target, *this, hash);
  return hash.finish();
}

std::vector<RuleKind> duplicate_rules() {
  return {
      {.name = "remove_duplicates",
       .aliases = {},
       .help = "pairs that were kept before; the first one stays",
       .parameters = {{.name = "compare",
                       .type = ParameterType::kText,
                       .default_value = "all",
                       .help = "what must be equal: both sides, the source (or 0) or the target "
                               "(or 1)",
                       .rule = {.choices = {"all", "source", "target", "0", "1"}}},
                      {.name = "lowercase",
                       .type = ParameterType::kFlag,
                       .default_value = "false",
                       .help = "capitals do not count"},
                      {.name = "letters_only",
                       .type = ParameterType::kFlag,
                       .default_value = "false",
                       .help = "only letters count: digits, punctuation and spaces may differ"}},
       .make = duplicate_key},
  };
}

}  // namespace dietmt::data
