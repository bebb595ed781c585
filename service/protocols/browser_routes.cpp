// Custom interfaces of the browser add-ons Immersive Translate, KISS Translator and Huaci, and of
// MTranServer, which has them too.
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/text/language_codes.h"
#include "service/protocols/protocol_routes.h"

namespace dietmt::service {
namespace {

using nlohmann::ordered_json;

ordered_json joined_texts(const std::vector<CalledText>& called) {
  auto texts = ordered_json::array();
  for (const CalledText& one : called) texts.push_back(one.text.joined());
  return texts;
}

Answer immersive(const Call& call, ServiceContext& service) {
  const Fields fields(call);
  auto translations = ordered_json::array();
  for (const CalledText& one :
       translate_plainly(call, service, some_texts(fields, "text_list"),
                         fields.text_or("source_lang", ""), fields.text("target_lang"), false))
    translations.push_back({{"detected_source_lang", data::language_tag(one.source.code)},
                            {"text", one.text.joined()}});
  return json_answer({{"translations", translations}});
}

Answer kiss(const Call& call, ServiceContext& service) {
  const Fields fields(call);
  const auto called = translate_plainly(call, service, some_texts(fields, "text"),
                                        fields.text_or("from", ""), fields.text("to"), false);
  const ordered_json texts = joined_texts(called);
  ordered_json body{{"text", fields.is_list("text") ? texts : texts.front()}};
  body["from"] = data::language_tag(called.front().source.code);
  body["to"] = fields.text("to");
  return json_answer(body);
}

// Huaci names languages in Chinese.
std::string chinese_name(const std::string& code) {
  if (code == "zh" || code == "zh_Hans") return "中文(简体)";
  if (code == "zh_Hant") return "中文(繁体)";
  icu::UnicodeString name;
  icu::Locale(code.c_str()).getDisplayName(icu::Locale::getChinese(), name);
  std::string text;
  name.toUTF8String(text);
  return text;
}

// A code of the server for a Chinese name; a name that none has stays as it is.
std::string code_of(const std::string& name, const LanguagePairs& pairs) {
  const std::vector<std::string> codes = pairs.languages();
  const auto found = std::ranges::find(codes, name, chinese_name);
  return found == codes.end() ? name : *found;
}

// The second destination is for texts in the language of the first.
Answer huaci(const Call& call, ServiceContext& service) {
  const Fields fields(call);
  const std::string text = fields.text("text");
  const std::vector<std::string> destinations = some_texts(fields, "destination");
  std::string source = code_of(fields.text_or("source", ""), service.pairs);
  const auto translated = [&](const std::string& target) {
    return translate_plainly(call, service, {text}, source, target, false).front();
  };
  size_t chosen = 0;
  CalledText one = translated(code_of(destinations[0], service.pairs));
  if (one.path.empty() && destinations.size() > 1) {
    source = one.source.code;
    one = translated(code_of(destinations[++chosen], service.pairs));
  }
  auto lines = ordered_json::array();
  const std::string all = one.text.joined();
  for (size_t begin = 0; begin <= all.size();) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    lines.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return json_answer({{"text", text},
                      {"from", chinese_name(one.source.code)},
                      {"to", destinations[chosen]},
                      {"result", lines}});
}

Answer mtran_batch(const Call& call, ServiceContext& service) {
  const Fields fields(call);
  return json_answer(
      {{"results", joined_texts(translate_plainly(call, service, some_texts(fields, "texts"),
                                                  fields.text("from"), fields.text("to"),
                                                  fields.flag_or("html", false)))}});
}

}  // namespace

std::vector<Route> browser_routes(ServiceContext& service) {
  const auto route = [&](const char* path, Answer (*handler)(const Call&, ServiceContext&)) {
    return Route{"POST", path,
                 [&service, handler](const Call& call) { return handler(call, service); }};
  };
  return {route("/imme", immersive), route("/kiss", kiss), route("/hcfy", huaci),
          route("/translate/batch", mtran_batch)};
}

}  // namespace dietmt::service
