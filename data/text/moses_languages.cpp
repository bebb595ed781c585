// The abbreviations of Moses' lists nonbreaking_prefix.de, .en and .ru.
#include <algorithm>
#include <array>
#include <sstream>

#include "data/text/moses.h"

namespace dietmt::data {
namespace {

using WordSet = std::unordered_set<std::string>;

constexpr std::string_view kEnglishTitles =
    "Adj Adm Adv Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr Ens Gen Gov Hon "
    "Hosp Insp Lt MM MR MRS MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Reps "
    "Res Rev Rt Sen Sens Sfc Sgt Sr St Supt Surg";
constexpr std::string_view kEnglish =
    "Drs Hr v vs i.e rev e.g Rs Nos Nr Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec";
constexpr std::string_view kEnglishBeforeNumbers = "No Art pp";
constexpr std::string_view kGerman =
    "Mio Mrd bzw v vs usw d.h z.B u.a etc MwSt ggf d.J D.h m.E vgl I.F z.T sogen ff u.E g.U g.g.A "
    "c.-à-d Buchst u.s.w sog u.ä Std evtl Zt Chr u.U o.ä Ltd b.A z.Zt spp sen SA k.o jun i.H.v dgl "
    "dergl Co zzt usf s.p.a Dkr bzgl BSE No Nos Art Nr pp ca Ca II III IV VI VII VIII IX XI XII "
    "XIII XIV XV XVI XVII XVIII XIX XX ii iii iv vi vii viii ix xi xii xiii xiv xv xvi xvii xviii "
    "xix xx";
constexpr std::string_view kRussian =
    "бульв в вв г га гг гл гос д дм доп др е ед зам и инд исп Исп к кап кг кв кл км кол комн коп "
    "куб л лиц лл м макс мг мин мл млн млрд мм н наб нач неуд ном о обл обр общ ок ост отл п пер "
    "перераб пл пос пр просп проф р ред руб с сб св см соч ср ст стр т тел Тел тех тт туп тыс уд "
    "ул уч физ х хор ч чел шт экз э А Б В Г Д Е Ж З И Й К Л М Н О П Р С Т У Ф Х Ц Ч Ш Щ Ъ Ы Ь Э Ю "
    "Я";
constexpr std::string_view kRussianUnits = "гг г м мм см дм л км га кг т мг";  // after a digit
constexpr std::string_view kRussianCenturies = "вв в";  // after a Roman numeral

// The other languages for which sacremoses has a list, or rules for their letters.
constexpr std::string_view kWithOwnRules[] = {
    "as", "bn", "ca", "cjk", "cs", "el", "es", "et", "fi",  "fr",  "ga",  "gu", "hi",
    "hu", "is", "it", "ja",  "kn", "ko", "lt", "lv", "ml",  "mni", "mr",  "nl", "or",
    "pa", "pl", "pt", "ro",  "sk", "sl", "sv", "ta", "tdt", "te",  "yue", "zh"};

void add(std::string_view list, WordSet& words, const std::string& before = {}) {
  std::istringstream stream{std::string(list)};
  for (std::string word; stream >> word;) words.insert(before + word);
}

void add_letters(char first, char last, WordSet& words) {
  for (char letter = first; letter <= last; ++letter) words.emplace(1, letter);
}

MosesLanguage english() {
  MosesLanguage made{"en", {}, {}};
  add_letters('A', 'Z', made.abbreviations);
  for (const std::string_view list : {kEnglishTitles, kEnglish}) add(list, made.abbreviations);
  add(kEnglishBeforeNumbers, made.before_numbers);
  return made;
}

MosesLanguage german() {
  MosesLanguage made{"de", {}, {}};
  add_letters('A', 'Z', made.abbreviations);
  add_letters('a', 'z', made.abbreviations);
  for (const std::string_view list : {kEnglishTitles, kGerman}) add(list, made.abbreviations);
  for (int number = 1; number < 100; ++number) made.abbreviations.insert(std::to_string(number));
  return made;
}

MosesLanguage other() {
  MosesLanguage made = english();
  made.code = "other";
  return made;
}

MosesLanguage russian() {
  MosesLanguage made{"ru", {}, {}};
  add_letters('A', 'Z', made.abbreviations);
  add(kRussian, made.abbreviations);
  for (int digit = 0; digit < 10; ++digit)
    add(kRussianUnits, made.abbreviations, std::to_string(digit));
  for (const char* numeral : {"X", "V", "I", "L", "M", "C"})
    add(kRussianCenturies, made.abbreviations, numeral);
  return made;
}

}  // namespace

const MosesLanguage* moses_language(std::string_view code) {
  static const std::array<MosesLanguage, 4> languages = {german(), english(), russian(), other()};
  for (const MosesLanguage& language : languages)
    if (language.code == code) return &language;
  const bool has_own_rules = std::ranges::count(kWithOwnRules, code) > 0;
  return has_own_rules ? nullptr : &languages.back();
}

}  // namespace dietmt::data
