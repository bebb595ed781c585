#include "data/sample/rows.h"

#include <sstream>

#include "common/error.h"

namespace dietmt::data {
namespace {

void require(bool condition, const std::string& row) {
  if (!condition) throw Error("malformed row of the sample lexicon: " + row);
}

std::vector<std::string> words_of(const std::string& row, size_t count) {
  std::vector<std::string> words = split(row, ' ');
  require(words.size() == count, row);
  return words;
}

bool is_government(const std::string& text) {
  return text.size() == 1 || text.find('+') != std::string::npos;
}

CzechGender czech_gender(char letter, const std::string& row) {
  const size_t index = std::string("aifn").find(letter);
  require(index != std::string::npos, row);
  return static_cast<CzechGender>(index);
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

Government government(const std::string& text) {
  const size_t plus = text.find('+');
  const size_t index = std::string("NGDAVLI").find(text.back());
  require(index != std::string::npos, text);
  return {plus == std::string::npos ? "" : text.substr(0, plus), static_cast<Case>(index)};
}

GermanNoun german_noun(const std::string& row) {
  const std::vector<std::string> words = words_of(row, 7);
  const size_t gender = std::string("mfn").find(words[0]);
  require(gender != std::string::npos, row);
  return {static_cast<GermanGender>(gender),
          {words[1], words[2], words[3], words[4]},
          words[5],
          words[6]};
}

CzechNoun czech_noun(const std::string& row) {
  const std::vector<std::string> numbers = split(row, '|');
  const std::vector<std::string> singular = words_of(numbers.at(0), 8);
  CzechNoun noun{
      czech_gender(singular[0].front(), row), czech_gender(singular[0].back(), row), {}, {}};
  std::copy(singular.begin() + 1, singular.end(), noun.singular.begin());
  if (numbers.size() == 1) return noun;  // a name
  const std::vector<std::string> plural = words_of(numbers[1], 7);
  std::copy(plural.begin(), plural.end(), noun.plural.begin());
  return noun;
}

EnglishVerb english_verb(const std::string& row, const std::string& tail) {
  const std::vector<std::string> words = words_of(row, 5);
  return {words[0], words[1], words[2], words[3], words[4], tail};
}

GermanVerb german_verb(const std::string& row, const std::string& properties) {
  const std::vector<std::string> words = words_of(row, 7);
  GermanVerb verb;
  verb.infinitive = words[0];
  verb.present = {words[1], words[2], words[3], words[0], words[4], words[0]};
  verb.preterite = words[5];
  for (const std::string& property : split(properties, ' ')) {
    if (property == "sein")
      verb.perfect_with_sein = true;
    else if (property == "sich")
      verb.reflexive = true;
    else if (property.back() == '-')
      verb.prefix = property.substr(0, property.size() - 1);
    else if (is_government(property))
      verb.object = government(property);
    else
      require(false, properties);
  }
  verb.participle = verb.prefix + words[6];
  return verb;
}

CzechVerbForms czech_forms(const std::string& row) {
  if (row.empty()) return {};
  const std::vector<std::string> words = words_of(row, 8);
  CzechVerbForms forms;
  forms.infinitive = words[0];
  std::copy(words.begin() + 1, words.begin() + 7, forms.present.begin());
  forms.past = words[7];
  return forms;
}

CzechVerb czech_verb(const std::string& imperfective, const std::string& perfective,
                     const std::string& properties) {
  CzechVerb verb;
  verb.imperfective = czech_forms(imperfective);
  verb.perfective = czech_forms(perfective);
  for (const std::string& property : split(properties, ' ')) {
    if (property == "se" || property == "si")
      verb.reflexive = property;
    else if (is_government(property))
      verb.object = government(property);
    else
      require(false, properties);
  }
  return verb;
}

}  // namespace dietmt::data
