#include "service/api/sentence_splitter.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <memory>

#include "common/error.h"

namespace dietmt::service {
namespace {

struct CloseText {
  void operator()(UText* text) const { utext_close(text); }
};
using Text = std::unique_ptr<UText, CloseText>;

void check(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) throw Error(std::string("ICU: ") + what + ": " + u_errorName(status));
}

// Bytes of white space at the start of `text`.
size_t leading_space(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  int64_t at = 0;
  const auto end = static_cast<int64_t>(text.size());
  while (at < end) {
    const int64_t start = at;
    UChar32 code = 0;
    U8_NEXT(bytes, at, end, code);
    if (code < 0 || !u_isUWhiteSpace(code)) return static_cast<size_t>(start);
  }
  return text.size();
}

// Length of `text` without trailing white space.
size_t without_trailing_space(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  auto at = static_cast<int32_t>(text.size());  // a request is far below 2 GiB
  while (at > 0) {
    const int32_t end = at;
    UChar32 code = 0;
    U8_PREV(bytes, 0, at, code);
    if (code < 0 || !u_isUWhiteSpace(code)) return static_cast<size_t>(end);
  }
  return 0;
}

// Collects sentences; everything between them is white space.
class PieceCollector {
 public:
  explicit PieceCollector(std::string_view text) : text_(text) {}

  /// Adds bytes begin .. end-1: a sentence with white space around it, or only white space.
  void add(size_t begin, size_t end) {
    begin += leading_space(text_.substr(begin, end - begin));
    end = begin + without_trailing_space(text_.substr(begin, end - begin));
    if (begin == end) return;
    split_.pieces.push_back(
        {text_.substr(covered_, begin - covered_), text_.substr(begin, end - begin)});
    covered_ = end;
  }

  SplitText finish() {
    split_.after = text_.substr(covered_);
    return std::move(split_);
  }

 private:
  std::string_view text_;
  SplitText split_;
  size_t covered_ = 0;  // bytes in pieces
};

// The end of the line that starts at `begin`: after LF, CR, U+2028, U+2029 or U+0085, or at the end
// of the text.
size_t line_end(std::string_view text, size_t begin) {
  constexpr std::string_view kOthers[] = {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
  for (size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == '\r') return i + 1;
    for (const std::string_view other : kOthers) {
      if (text.substr(i, other.size()) == other) return i + other.size();
    }
  }
  return text.size();
}

class LineSplitter {
 public:
  explicit LineSplitter(const std::string& language) : abbreviations_(language) {
    UErrorCode status = U_ZERO_ERROR;
    // Without CLDR's list of abbreviations (@ss=standard), which ICU also finds inside longer
    // words.
    breaks_.reset(
        icu::BreakIterator::createSentenceInstance(icu::Locale(language.c_str()), status));
    check(status, "sentence rules");
  }

  /// Bytes begin .. end-1 of `text` are one line.
  void split(std::string_view text, size_t begin, size_t end, PieceCollector& collector) {
    const std::string_view line = text.substr(begin, end - begin);
    UErrorCode status = U_ZERO_ERROR;
    const Text opened(
        utext_openUTF8(nullptr, line.data(), static_cast<int64_t>(line.size()), &status));
    check(status, "text");
    breaks_->setText(opened.get(), status);
    check(status, "text");
    size_t sentence = 0;
    for (int32_t at = breaks_->next(); at != icu::BreakIterator::DONE; at = breaks_->next()) {
      const auto stop = static_cast<size_t>(at);
      if (stop < line.size() && joins(line, sentence, stop)) continue;
      collector.add(begin + sentence, begin + stop);
      sentence = stop;
    }
    if (sentence < line.size()) collector.add(begin + sentence, end);
  }

 private:
  // True if no sentence ends at `stop`, although the Unicode rules say so.
  bool joins(std::string_view line, size_t begin, size_t stop) const {
    const std::string_view before = line.substr(begin, stop - begin);
    return abbreviations_.continues(before.substr(0, without_trailing_space(before)),
                                    line.substr(stop));
  }

  Abbreviations abbreviations_;
  std::unique_ptr<icu::BreakIterator> breaks_;
};

// Words that precede a name or occur inside a sentence, rarely at its end; with #, only before a
// number.
constexpr std::string_view kEnglish[] = {
    "Jan", "Feb",  "Aug", "Sept", "Oct", "Nov", "Dec",  "Mt",   "Dr",  "Mr",    "Mrs",
    "Ms",  "Prof", "St",  "Gen",  "Sen", "Rep", "Gov",  "Lt",   "Col", "Sgt",   "Capt",
    "Rev", "Hon",  "vs",  "e.g",  "i.e", "No#", "Fig#", "Vol#", "cf",  "approx"};
constexpr std::string_view kGerman[] = {
    "Dr",   "Prof", "Hr",   "Fr",  "St",   "Nr#",  "Abb#", "Bd#", "ca",   "bzw",  "vgl",
    "z",    "d.h",  "z.B",  "u.a", "Hrsg", "Dipl", "Ing",  "geb", "gest", "Art#", "Abs#",
    "Kap#", "sog",  "evtl", "ggf", "inkl", "zzgl", "max",  "min", "Mio",  "Mrd",  "Hl",
    "Str",  "Tel",  "Jan",  "Feb", "Aug",  "Sept", "Okt",  "Nov", "Dez"};
constexpr std::string_view kFrench[] = {"M",   "MM", "Mme", "Mlle", "Dr",  "Pr", "St",
                                        "Ste", "p#", "cf",  "art#", "no#", "av", "env"};
constexpr std::string_view kCzech[] = {"p#", "pan",  "dr", "prof", "doc", "ing", "mgr", "tzv",
                                       "tj", "např", "č#", "str#", "sv",  "cca", "mj",  "tzn"};
constexpr std::string_view kSpanish[] = {"Sr",  "Sra",  "Srta", "Dr",   "Dra",  "D", "Ud",
                                         "Uds", "pág#", "núm#", "art#", "p.ej", "S#"};

struct Table {
  std::string_view language;
  std::span<const std::string_view> words;
  bool ordinals;
};

constexpr Table kTables[] = {
    {"en", kEnglish, false}, {"de", kGerman, true}, {"fr", kFrench, false}, {"cs", kCzech, true},
    {"es", kSpanish, false}, {"da", {}, true},      {"fi", {}, true},       {"no", {}, true},
    {"nb", {}, true},        {"pl", {}, true},      {"sk", {}, true},       {"sl", {}, true},
    {"hu", {}, true},        {"hr", {}, true},      {"et", {}, true},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One capital letter of any alphabet.
bool is_initial(std::string_view word) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(word.data());
  const auto end = static_cast<int64_t>(word.size());
  int64_t at = 0;
  UChar32 letter = 0;
  U8_NEXT(bytes, at, end, letter);
  return at == end && letter >= 0 && u_isupper(letter);
}

}  // namespace

SplitText split_sentences(std::string_view text, const std::string& language) {
  PieceCollector collector(text);
  LineSplitter splitter(language);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = line_end(text, begin);
    splitter.split(text, begin, end, collector);
    begin = end;
  }
  return collector.finish();
}

SplitText one_sentence(std::string_view text) {
  PieceCollector collector(text);
  collector.add(0, text.size());
  return collector.finish();
}

Abbreviations::Abbreviations(const std::string& language) {
  const std::string_view code = std::string_view(language).substr(0, language.find('_'));
  const auto* table = std::find_if(std::begin(kTables), std::end(kTables),
                                   [&](const Table& one) { return one.language == code; });
  if (table == std::end(kTables)) return;
  words_ = table->words;
  ordinals_ = table->ordinals;
}

bool Abbreviations::continues(std::string_view text, std::string_view rest) const {
  if (!text.ends_with('.')) return false;
  text.remove_suffix(1);
  const size_t space = text.find_last_of(" \t(\"'");
  const std::string_view word = space == std::string_view::npos ? text : text.substr(space + 1);
  if (word.empty()) return false;
  if (is_initial(word)) return true;
  const bool before_number = !rest.empty() && is_digit(rest.front());
  const auto is_word = [&](std::string_view one) {
    if (!one.ends_with('#')) return one == word;
    one.remove_suffix(1);
    return before_number && one == word;
  };
  if (std::any_of(words_.begin(), words_.end(), is_word)) return true;
  // A year can end a sentence; a day or a list number cannot.
  return ordinals_ && word.size() <= 2 && std::all_of(word.begin(), word.end(), is_digit);
}

}  // namespace dietmt::service
