#include "data/text/sentence_rules.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "data/text/language_codes.h"
#include "data/text/sentence_words.h"
#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

// Titles that stand before names in texts of any language.
constexpr std::string_view kTitles = "Mr Mrs Ms Dr St Mt Sen Rep Gov Gen Lt Rev Prof";
constexpr std::string_view kTimes = "a.m p.m A.M P.M";
constexpr std::string_view kEnglishTimes = "a.m p.m A.M P.M am pm";
constexpr std::string_view kAfterTimes =
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Wed Thu Fri Sat Sun January "
    "February March April May June July August September October November December Jan Feb Mar Apr "
    "Jun Jul Aug Sep Sept Oct Nov Dec Eastern Central Mountain Pacific EST EDT CST CDT MST MDT PST "
    "PDT ET CT MT PT GMT UTC BST CET CEST Greenwich";
constexpr std::string_view kSpeech =
    "said says asked asks cried cries yelled shouted exclaimed replied answered whispered screamed "
    "called thought murmured muttered";
constexpr std::string_view kExclamations = "Yahoo Joomla Jeopardy Kahoot Yum Wham";

constexpr auto kThaiParticles =
    std::to_array<std::string_view>({"ครับ", "ค่ะ", "คะ", "ครับผม", "จ้ะ", "จ้า", "นะ", "ฮะ", "ไหม"});
constexpr auto kThaiContinuations = std::to_array<std::string_view>(
    {"และ", "หรือ", "ซึ่ง",   "ที่",      "โดย", "เพื่อ",    "เพราะ", "จน",  "แล้ว", "ก็",
     "ว่า",  "คือ",  "เป็น",  "ได้",     "ของ", "ใน",     "จาก",   "ด้วย", "รวม", "ไป",
     "ถึง",  "กับ",  "ให้",   "ประมาณ", "เมื่อ", "แต่",     "จะ",    "มี",   "อยู่",  "อีก",
     "เช่น", "ไม่",  "ตั้งแต่", "สำหรับ",  "(",   "ระหว่าง", "ราว"});

template <typename Words>
Words words_of(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

constexpr auto abbreviations_in = words_of<SentenceRules::Words>;
constexpr auto names_in = words_of<SentenceRules::Names>;

SentenceRules rules_from(const SentenceWords& words) {
  SentenceRules rules{.inside = abbreviations_in(words.inside),
                      .before_number = abbreviations_in(words.before_number),
                      .anywhere = abbreviations_in(words.anywhere),
                      .times = abbreviations_in(kTimes),
                      .starters = names_in(words.starters),
                      .names = names_in(kExclamations),
                      .ordinals = words.ordinals};
  rules.inside.merge(abbreviations_in(kTitles));
  return rules;
}

std::map<std::string_view, SentenceRules> all_rules() {
  std::map<std::string_view, SentenceRules> all;
  for (const auto list : {western_sentence_words(), eastern_sentence_words()}) {
    for (const SentenceWords& words : list) all[words.language] = rules_from(words);
  }
  all["en"].times = abbreviations_in(kEnglishTimes);
  all["en"].after_times = names_in(kAfterTimes);
  all["en"].speech = names_in(kSpeech);
  all["nb"] = all["nn"] = all["no"];
  return all;
}

}  // namespace

bool SentenceRules::Words::has(std::string_view word) const {
  if (contains(word)) return true;
  const Character first = first_character_of(word);
  if (!u_isupper(first.code)) return false;
  std::array<char, U8_MAX_LENGTH> small{};
  int32_t size = 0;
  U8_APPEND_UNSAFE(small.data(), size, u_tolower(first.code));
  return contains(std::string(small.data(), static_cast<size_t>(size)) +
                  std::string(word.substr(first.bytes)));
}

const SentenceRules& SentenceRules::of(std::string_view language) {
  static const std::map<std::string_view, SentenceRules> all = all_rules();
  static const SentenceRules none = rules_from({});
  const auto found = all.find(primary_language(language));
  return found == all.end() ? none : found->second;
}

std::span<const std::string_view> thai_particles() { return kThaiParticles; }
std::span<const std::string_view> thai_continuations() { return kThaiContinuations; }

}  // namespace dietmt::data
