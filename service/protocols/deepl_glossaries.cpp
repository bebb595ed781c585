// DeepL's glossaries (https://developers.deepl.com/api-reference): those with one dictionary at
// /v2/glossaries, all at /v3/glossaries. The ones that the server's operator stores can only be
// read.
#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>
#include <nlohmann/json.hpp>

#include "data/text/glossary_terms.h"
#include "service/protocols/deepl_dictionaries.h"
#include "service/protocols/protocol_routes.h"

namespace dietmt::service {
namespace {

using nlohmann::ordered_json;

std::string time_text(int64_t microseconds) {
  constexpr int64_t kSecond = 1'000'000;
  const std::time_t seconds = microseconds / kSecond;
  std::tm fields = {};
  gmtime_r(&seconds, &fields);
  std::array<char, sizeof "2000-01-01T00:00:00"> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &fields);
  const std::string fraction = std::to_string(kSecond + microseconds % kSecond);
  return std::string(text.data()) + "." + fraction.substr(1) + "Z";
}

ordered_json dictionary_json(const DictionaryInfo& one) {
  return {{"source_lang", one.source}, {"target_lang", one.target}, {"entry_count", one.terms}};
}

ordered_json glossary_json(const GlossaryInfo& glossary) {
  auto dictionaries = ordered_json::array();
  for (const DictionaryInfo& one : glossary.dictionaries)
    dictionaries.push_back(dictionary_json(one));
  return {{"glossary_id", glossary.id},
          {"name", glossary.name},
          {"dictionaries", dictionaries},
          {"creation_time", time_text(glossary.created)}};
}

// As version 2 shows those with one dictionary.
ordered_json single_json(const GlossaryInfo& glossary) {
  ordered_json shown{{"glossary_id", glossary.id},
                     {"name", glossary.name},
                     {"ready", true},
                     {"creation_time", time_text(glossary.created)}};
  shown.update(dictionary_json(glossary.dictionaries.front()));
  return shown;
}

void require_single(const GlossaryInfo& glossary) {
  if (glossary.dictionaries.size() != 1)
    throw HttpError(404, "Glossary not found: '" + glossary.id + "' has " +
                             std::to_string(glossary.dictionaries.size()) +
                             " dictionaries; see /v3/glossaries");
}

class DeeplGlossaries {
 public:
  DeeplGlossaries(ServiceContext& service, ClientGlossaries* made)
      : service_(service), made_(made) {}

  Answer pairs(const Call&) const {
    auto all = ordered_json::array();
    for (const std::string& source : service_.pairs.sources())
      for (const std::string& target : service_.pairs.targets(source))
        all.push_back({{"source_lang", lower_tag(source)}, {"target_lang", lower_tag(target)}});
    return json_answer({{"supported_languages", all}});
  }

  Answer create_single(const Call& call) const {
    const Fields fields(call);
    return json_answer(single_json(made().create(service_.owner_of(call), glossary_name(fields),
                                                 {new_dictionary(fields, call, service_.pairs)})),
                       201);
  }

  Answer create(const Call& call) const {
    const Fields fields(call);
    const std::string name = glossary_name(fields);
    return json_answer(glossary_json(made().create(service_.owner_of(call), name,
                                                   new_dictionaries(fields, call, service_.pairs))),
                       201);
  }

  Answer list_single(const Call& call) const {
    auto all = ordered_json::array();
    for (const GlossaryInfo& one : known_to(call))
      if (one.dictionaries.size() == 1) all.push_back(single_json(one));
    return json_answer({{"glossaries", all}});
  }

  Answer list(const Call& call) const {
    auto all = ordered_json::array();
    for (const GlossaryInfo& one : known_to(call)) all.push_back(glossary_json(one));
    return json_answer({{"glossaries", all}});
  }

  Answer show_single(const Call& call) const {
    const GlossaryInfo glossary = find(call);
    require_single(glossary);
    return json_answer(single_json(glossary));
  }

  Answer show(const Call& call) const { return json_answer(glossary_json(find(call))); }

  Answer lines_of_single(const Call& call) const {
    const GlossaryInfo glossary = find(call);
    require_single(glossary);
    return {.body = lines(call, glossary.dictionaries.front()),
            .type = "text/tab-separated-values; charset=utf-8"};
  }

  Answer entries(const Call& call) const {
    const Fields fields(call);
    const DictionaryInfo wanted{language_of(fields, "source_lang"),
                                language_of(fields, "target_lang")};
    const ordered_json dictionary{{"source_lang", wanted.source},
                                  {"target_lang", wanted.target},
                                  {"entries", lines(call, wanted)},
                                  {"entries_format", "tsv"}};
    return json_answer({{"dictionaries", ordered_json::array({dictionary})}});
  }

  Answer update(const Call& call) const {
    const Fields fields(call);
    const std::string name = fields.has("name") ? glossary_name(fields) : "";
    const auto dictionaries = fields.has("dictionaries")
                                  ? new_dictionaries(fields, call, service_.pairs)
                                  : std::vector<NewDictionary>();
    return json_answer(glossary_json(
        made_by_client(call).update(service_.owner_of(call), call.path_part, name, dictionaries)));
  }

  Answer replace(const Call& call) const {
    const NewDictionary dictionary = new_dictionary(Fields(call), call, service_.pairs);
    made_by_client(call).replace(service_.owner_of(call), call.path_part, dictionary);
    return json_answer(
        dictionary_json({dictionary.source, dictionary.target, std::ssize(dictionary.terms)}));
  }

  Answer remove(const Call& call) const {
    made_by_client(call).remove(service_.owner_of(call), call.path_part);
    return {.status = 204};
  }

  Answer remove_dictionary(const Call& call) const {
    const Fields fields(call);
    made_by_client(call).remove_dictionary(service_.owner_of(call), call.path_part,
                                           language_of(fields, "source_lang"),
                                           language_of(fields, "target_lang"));
    return {.status = 204};
  }

 private:
  ClientGlossaries& made() const {
    if (made_ == nullptr)
      throw HttpError(400,
                      "this server keeps no glossaries of clients; start it with --data or "
                      "--queue");
    return *made_;
  }

  // For changes of a glossary.
  ClientGlossaries& made_by_client(const Call& call) const {
    if (of_server(call.path_part))
      throw HttpError(
          403, "the glossary '" + call.path_part + "' is the server's; clients cannot change it");
    return made();
  }

  // The server's, all or those of one name.
  std::vector<GlossaryInfo> all_of_server() const {
    std::vector<GlossaryInfo> all;
    for (const NamedGlossary& one : service_.glossaries->all()) {
      if (all.empty() || all.back().name != one.name) all.push_back({one.name, one.name, 0, {}});
      all.back().dictionaries.push_back(
          {lower_tag(one.source), lower_tag(one.target), std::ssize(one.glossary->terms())});
    }
    return all;
  }
  std::optional<GlossaryInfo> of_server(const std::string& name) const {
    const std::vector<GlossaryInfo> all = all_of_server();
    const auto found = std::ranges::find(all, name, &GlossaryInfo::name);
    return found == all.end() ? std::nullopt : std::optional(*found);
  }

  std::vector<GlossaryInfo> known_to(const Call& call) const {
    std::vector<GlossaryInfo> all = all_of_server();
    if (made_ != nullptr)
      std::ranges::move(made_->list(service_.owner_of(call)), std::back_inserter(all));
    return all;
  }

  GlossaryInfo find(const Call& call) const {
    if (const auto own = of_server(call.path_part)) return *own;
    if (made_ != nullptr) return made_->info(service_.owner_of(call), call.path_part);
    throw HttpError(404, "Glossary not found: there is no glossary '" + call.path_part + "'");
  }

  std::string lines(const Call& call, const DictionaryInfo& wanted) const {
    const std::string& id = call.path_part;
    for (const NamedGlossary& one : service_.glossaries->all())
      if (one.name == id && lower_tag(one.source) == wanted.source &&
          lower_tag(one.target) == wanted.target)
        return data::lines_of_terms(one.glossary->terms());
    find(call);
    if (made_ != nullptr && !of_server(id))
      return made_->lines(service_.owner_of(call), id, wanted.source, wanted.target);
    throw HttpError(404, "Dictionary not found: the glossary '" + id + "' has none for " +
                             wanted.source + "-" + wanted.target);
  }

  ServiceContext& service_;
  ClientGlossaries* made_;
};

}  // namespace

std::string deepl_glossary(const std::string& id, const std::vector<std::string>& ids,
                           const std::string& source) {
  if (ids.size() > 1 || (!ids.empty() && !id.empty()))
    throw HttpError::of_option("glossary_ids",
                               "this server translates with one glossary: name it in glossary_id");
  const std::string& glossary = ids.empty() ? id : ids.front();
  if (!glossary.empty() && (source.empty() || source == kDetect))
    throw HttpError::of_option(
        "source_lang", "Use of a glossary requires the source_lang parameter to be specified");
  return glossary;
}

std::vector<Route> deepl_glossary_routes(ServiceContext& service, ClientGlossaries* made) {
  const DeeplGlossaries glossaries(service, made);
  using All = DeeplGlossaries;
  const auto route = [&](const char* method, const char* path,
                         Answer (All::*answer)(const Call&) const) {
    return Route{.method = method,
                 .path = path,
                 .handler = with_job_errors(
                     [glossaries, answer](const Call& call) { return (glossaries.*answer)(call); }),
                 .errors = deepl_error};
  };
  return {route("GET", "/v2/glossary-language-pairs", &All::pairs),
          route("GET", "/v2/glossaries", &All::list_single),
          route("POST", "/v2/glossaries", &All::create_single),
          route("GET", "/v2/glossaries/{id}", &All::show_single),
          route("DELETE", "/v2/glossaries/{id}", &All::remove),
          route("GET", "/v2/glossaries/{id}/entries", &All::lines_of_single),
          route("GET", "/v3/glossaries", &All::list),
          route("POST", "/v3/glossaries", &All::create),
          route("GET", "/v3/glossaries/{id}", &All::show),
          route("PATCH", "/v3/glossaries/{id}", &All::update),
          route("DELETE", "/v3/glossaries/{id}", &All::remove),
          route("GET", "/v3/glossaries/{id}/entries", &All::entries),
          route("PUT", "/v3/glossaries/{id}/dictionaries", &All::replace),
          route("DELETE", "/v3/glossaries/{id}/dictionaries", &All::remove_dictionary)};
}

}  // namespace dietmt::service
