#include "service/protocols/deepl_dictionaries.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "data/text/glossary_terms.h"
#include "data/text/language_codes.h"
#include "service/api/preparation_turn.h"
#include "service/documents/strings/table_rows.h"

namespace dietmt::service {
namespace {

using nlohmann::json;

constexpr size_t kLongestName = 1024;

// The languages of a row in CSV may follow its terms, as in the files of DeepL's page.
std::vector<data::GlossaryTerm> terms_of_csv(const std::string& entries,
                                             const NewDictionary& dictionary) {
  data::GlossaryTerms terms("entries");
  int64_t number = 0;
  for (TableRows rows(entries, ','); rows.has_next();) {
    const std::vector<TableRows::Cell> row = rows.next();
    const std::string where = "entries:" + std::to_string(++number);
    if (row.size() == 1 && row[0].text.empty()) continue;
    if (row.size() != 2 && row.size() != 4)
      throw DataError(where + ": " + std::to_string(row.size()) +
                      " cells: write a source term and a target term, or these and the codes of "
                      "both languages");
    if (row.size() == 4 && (lower_tag(row[2].text) != dictionary.source ||
                            lower_tag(row[3].text) != dictionary.target))
      throw DataError(where + ": the row is not for " + dictionary.source + "-" +
                      dictionary.target);
    terms.add(number, row[0].text, row[1].text);
  }
  return std::move(terms).take();
}

}  // namespace

std::string lower_tag(const std::string& code) {
  std::string tag = data::language_tag(code);
  std::ranges::transform(tag, tag.begin(), [](unsigned char c) { return std::tolower(c); });
  return tag;
}

std::string language_of(const Fields& fields, const std::string& field) {
  const std::string code = fields.text(field);
  constexpr size_t kLongest = 64;
  const bool is_code =
      !code.empty() && code.size() <= kLongest && std::ranges::all_of(code, [](unsigned char c) {
        return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_');
      });
  if (!is_code) throw HttpError::of_option(field, field + " is not a language code");
  return lower_tag(code);
}

std::string glossary_name(const Fields& fields) {
  const std::string name = fields.text("name");
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7F; };
  if (name.empty()) throw HttpError::of_option("name", "name is empty");
  if (name.size() > kLongestName)
    throw HttpError::of_option("name",
                               "name is longer than " + std::to_string(kLongestName) + " bytes");
  if (std::ranges::any_of(name, is_control))
    throw HttpError::of_option("name", "name has a control character");
  return name;
}

NewDictionary new_dictionary(const Fields& fields, const Call& call, const LanguagePairs& pairs) {
  NewDictionary dictionary{
      language_of(fields, "source_lang"), language_of(fields, "target_lang"), {}};
  if (pairs.path_of(dictionary.source, dictionary.target).empty())
    throw HttpError::of_option("target_lang", "source_lang and target_lang are one language");
  const std::string format = fields.text("entries_format");
  if (format != "tsv" && format != "csv")
    throw HttpError::of_option("entries_format", "entries_format must be tsv or csv");
  const std::string entries = fields.text("entries");
  const PreparationTurn turn(
      entries.size(),
      {.deadline = call.deadline, .client_gone = call.client_gone, .client = call.client});
  dictionary.terms = format == "csv" ? terms_of_csv(entries, dictionary)
                                     : data::terms_of_lines(entries, "entries");
  if (dictionary.terms.empty()) throw HttpError::of_option("entries", "entries has no term");
  return dictionary;
}

std::vector<NewDictionary> new_dictionaries(const Fields& fields, const Call& call,
                                            const LanguagePairs& pairs) {
  const json& given = fields.value("dictionaries");
  const auto is_object = [](const json& one) { return one.is_object(); };
  if (!given.is_array() || given.empty() || !std::ranges::all_of(given, is_object))
    throw HttpError::of_option("dictionaries", "dictionaries must be a list of objects");
  if (std::ssize(given) > ClientGlossaries::kMostDictionaries)
    throw HttpError::of_option("dictionaries",
                               "dictionaries has " + std::to_string(given.size()) +
                                   " objects; the limit is " +
                                   std::to_string(ClientGlossaries::kMostDictionaries));
  std::vector<NewDictionary> all;
  std::set<std::pair<std::string, std::string>> given_pairs;
  for (const json& one : given) {
    all.push_back(new_dictionary(Fields(one), call, pairs));
    if (!given_pairs.emplace(all.back().source, all.back().target).second)
      throw HttpError::of_option("dictionaries", "dictionaries has " + all.back().source + "-" +
                                                     all.back().target + " twice");
  }
  return all;
}

}  // namespace dietmt::service
