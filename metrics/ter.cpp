#include "metrics/ter.h"

#include <algorithm>
#include <limits>

#include "metrics/mteval_rules.h"
#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace dietmt::metrics {
namespace {

bool within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

// Ideographs, radicals, strokes, compatibility forms, enclosed letters.
bool is_tercom_ideograph(char32_t c) {
  return within(c, 0x4E00, 0x9FFF) || within(c, 0x3400, 0x4DBF) || within(c, 0x31C0, 0x31EF) ||
         within(c, 0x2E80, 0x2EFF) || within(c, 0x3300, 0x33FF) || within(c, 0xF900, 0xFAFF) ||
         within(c, 0xFE30, 0xFE4F) || within(c, 0x3200, 0x3F22);
}

// CJK and full-width punctuation.
bool is_asian_mark(char32_t c) {
  return within(c, 0x3001, 0x3002) || within(c, 0x3008, 0x3011) || within(c, 0x3014, 0x301F) ||
         within(c, 0xFF61, 0xFF65) || c == 0x30FB || c == 0xFF0E || c == 0xFF0C || c == 0xFF1F ||
         c == 0xFF1A || c == 0xFF1B || c == 0xFF01 || c == 0xFF02 || c == 0xFF08 || c == 0xFF09;
}

std::string normalize_western(std::string text) {
  text = replace_all(std::move(text), "\n-", "");
  text = unescape_entities(replace_all(std::move(text), "\n", " "));
  text = separate_symbols(" " + text + " ");
  return separate_periods_and_dashes(replace_all(std::move(text), "'s ", " 's "));
}

// tercom's rules for runs of kana hold only at the start of a line, where normalize_western has put
// a space: kana stay together.
std::string separate_asian(std::string_view text) {
  std::u32string out;
  for (const char32_t c : code_points(text)) {
    if (is_tercom_ideograph(c) || is_asian_mark(c))
      out.append({U' ', c, U' '});
    else
      out += c;
  }
  return to_utf8(out);
}

std::string remove_marks(std::string_view text, bool asian) {
  constexpr std::u32string_view kWestern = U".,?:;!\"()";
  std::u32string out;
  for (const char32_t c : code_points(text)) {
    if (kWestern.find(c) == kWestern.npos && !(asian && is_asian_mark(c))) out += c;
  }
  return to_utf8(out);
}

// sacreBLEU normalises references twice, which matters for text such as "..5".
std::vector<std::string> reference_words(const TerOptions& options, const std::string& reference) {
  std::string once;
  for (const std::string& word : tokenize_tercom(options, reference)) once += word + " ";
  return tokenize_tercom(options, once);
}

}  // namespace

std::vector<std::string> tokenize_tercom(const TerOptions& options, std::string_view sentence) {
  std::string text(strip_right(sentence));
  if (!options.case_sensitive) text = lowercase(text);
  if (options.normalized) text = normalize_western(std::move(text));
  if (options.normalized && options.asian_support) text = separate_asian(text);
  if (options.no_punct) text = remove_marks(text, options.asian_support);
  const std::vector<std::string_view> words = split_words(text);
  return {words.begin(), words.end()};
}

std::vector<double> Ter::sentence_statistics(const std::string& hypothesis,
                                             std::span<const std::string> references) const {
  WordIds ids;
  const Symbols words = ids.number(tokenize_tercom(options_, hypothesis));
  int64_t edits = std::numeric_limits<int64_t>::max();
  size_t length = 0;
  for (const std::string& reference : references) {
    const Symbols target = ids.number(reference_words(options_, reference));
    edits = std::min(edits, translation_edits(words, target));
    length += target.size();
  }
  return {static_cast<double>(edits),
          static_cast<double>(length) / static_cast<double>(references.size())};
}

// Edits without any reference word count as 100.
Score Ter::score(std::span<const double> statistics) const {
  const double edits = statistics[0];
  const double reference_length = statistics[1];
  const double without_reference = edits > 0 ? 1.0 : 0.0;
  const double rate = reference_length > 0 ? edits / reference_length : without_reference;
  return {name(), 100 * rate, "", {{"edits", edits}, {"reference_length", reference_length}}};
}

std::string Ter::signature_fields() const {
  const auto yes_no = [](bool value) { return std::string(value ? "yes" : "no"); };
  return std::string("case:") + (options_.case_sensitive ? "mixed" : "lc") +
         "|tok:tercom|norm:" + yes_no(options_.normalized) +
         "|punct:" + yes_no(!options_.no_punct) + "|asian:" + yes_no(options_.asian_support);
}

}  // namespace dietmt::metrics
