#include "service/api/fields.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/checks.h"
#include "common/json_fields.h"
#include "common/numbers.h"
#include "common/text_io.h"
#include "data/text/source_tag.h"
#include "nmt/translation/avoided_ends.h"
#include "service/api/preparation_turn.h"
#include "service/http/url.h"

namespace dietmt::service {
namespace {

using nlohmann::json;

constexpr const char* kJson = "application/json";

void check_utf8(std::string_view text, const std::string& what) {
  const size_t bad = invalid_utf8_at(text);
  if (bad != std::string_view::npos)
    throw HttpError(400, what + " is not valid UTF-8 at byte " + std::to_string(bad + 1));
}

// An upper bound on the number of values: openings and commas outside strings.
int64_t most_values(std::string_view text) {
  int64_t values = 1;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (!in_string && (c == ',' || c == '[' || c == '{')) ++values;
  }
  return values;
}

void check_values(int64_t values) {
  if (values > kMaxValues) throw HttpError(413, "the body has too many values");
}

json parse_json(const std::string& body) {
  check_utf8(body, "the body");
  check_values(most_values(body));
  json parsed;
  try {
    parsed = json::parse(body);
  } catch (const json::exception& error) {
    throw HttpError(400, "the body is not valid JSON: " + json_problem(error));
  }
  if (!parsed.is_object()) throw HttpError(400, "the body is not a JSON object");
  return parsed;
}

// A repeated field becomes a list.
json object_of(const Pairs& pairs) {
  json object = json::object();
  for (const auto& [name, value] : pairs) {
    check_utf8(name, "the name of a field");
    check_utf8(value, "field '" + name + "'");
    json& field = object[name];
    if (field.is_null())
      field = value;
    else if (field.is_array())
      field.push_back(value);
    else
      field = json::array({field, value});
  }
  return object;
}

bool looks_like_json(const std::string& body) {
  const size_t first = body.find_first_not_of(" \t\r\n");
  return first != body.npos && body[first] == '{';
}

// For a body of a type that its route does not read.
HttpError wrong_type(const std::string& expected, const Call& call) {
  const std::string type = call.content_type.empty() ? "missing" : "'" + call.content_type + "'";
  if (looks_like_json(call.body))
    return {415, "the body looks like JSON but its Content-Type is " + type +
                     ": send Content-Type: application/json"};
  return {415, "the body must be " + expected + "; its Content-Type is " + type};
}

json values_of_body(const Call& call) {
  const PreparationTurn turn(
      call.body.size(),
      {.deadline = call.deadline, .client_gone = call.client_gone, .client = call.client});
  if (call.content_type == "multipart/form-data") return object_of(call.form);
  if (call.body.empty()) return json::object();
  if (call.content_type == kJson) return parse_json(call.body);
  if (call.content_type == "application/x-www-form-urlencoded" && !looks_like_json(call.body)) {
    check_values(1 + std::count(call.body.begin(), call.body.end(), '&'));
    return object_of(parse_form(call.body));
  }
  throw wrong_type("JSON or a form", call);
}

// JSON Schema counts 2.0 among the integers.
bool is_whole_float(const json& value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  return value.is_number_float() && std::abs(value.get<double>()) <= kExact &&
         std::trunc(value.get<double>()) == value.get<double>();
}

HttpError wrong(const std::string& name, const std::string& problem) {
  return HttpError::of_option(name, name + " " + problem);
}

// The machine is the server's.
bool is_of_requests(const nmt::SearchOption& option) {
  return option.group != nmt::SearchOption::Group::kMachine;
}

void read_option(const Fields& fields, const nmt::SearchOption& option, int64_t& value) {
  value = fields.integer_or(option.name, value, nearest_whole(*option.rule.least),
                            nearest_whole(*option.rule.most));
}
void read_option(const Fields& fields, const nmt::SearchOption& option, double& value) {
  value = fields.number_or(option.name, value);
}
void read_option(const Fields& fields, const nmt::SearchOption& option, bool& value) {
  value = fields.flag_or(option.name, value);
}
void read_option(const Fields& fields, const nmt::SearchOption& option, std::string& value) {
  value = fields.text_or(option.name, value);
}

}  // namespace

// The body's fields are moved, since copying deeply nested JSON takes stack in proportion to its
// depth.
Fields::Fields(const Call& call) : values_(values_of_body(call)), strings_count_(true) {
  const json query = object_of(call.query);
  for (const auto& [name, value] : query.items())
    if (!values_.contains(name)) values_[name] = value;
  check_key();
}

Fields Fields::of_json(const Call& call) {
  if (call.content_type != kJson && !(call.body.empty() && call.form.empty()))
    throw wrong_type("application/json", call);
  Fields fields(values_of_body(call));
  fields.check_key();
  return fields;
}

// A key of another type is wrong even on a server without keys.
void Fields::check_key() const { text_or("api_key", ""); }

bool Fields::has(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() && !found->is_null();
}

const json& Fields::required(const std::string& name) const {
  if (!has(name))
    throw HttpError::of_option(name, "Invalid request: missing " + name + " parameter");
  return *values_.find(name);
}

std::string Fields::text(const std::string& name) const {
  const json& value = required(name);
  if (!value.is_string()) throw wrong(name, "must be a string");
  return value.get<std::string>();
}

std::string Fields::text_or(const std::string& name, const std::string& otherwise) const {
  return has(name) ? text(name) : otherwise;
}

bool Fields::flag_or(const std::string& name, bool otherwise) const {
  if (!has(name)) return otherwise;
  const json& value = required(name);
  if (strings_count_ && (value == "true" || value == "1")) return true;
  if (strings_count_ && (value == "false" || value == "0")) return false;
  if (!value.is_boolean()) throw wrong(name, "must be true or false");
  return value.get<bool>();
}

double Fields::number_or(const std::string& name, double otherwise) const {
  if (!has(name)) return otherwise;
  if (!required(name).is_number()) throw wrong(name, "must be a number");
  return required(name).get<double>();
}

int64_t Fields::integer_or(const std::string& name, int64_t otherwise, int64_t least,
                           int64_t most) const {
  if (!has(name)) return otherwise;
  const json& value = required(name);
  const HttpError problem = wrong(
      name, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  std::optional<int64_t> number;
  if (strings_count_ && value.is_string())
    number = number_in<int64_t>(value.get_ref<const std::string&>());
  else if (is_whole_number(value) || is_whole_float(value))
    number = value.get<int64_t>();
  if (!number || *number < least || *number > most) throw problem;
  return *number;
}

std::vector<std::string> Fields::texts(const std::string& name) const {
  const json& value = required(name);
  if (value.is_string()) return {value.get<std::string>()};
  const bool all_texts =
      value.is_array() &&
      std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_string(); });
  if (!all_texts) throw wrong(name, "must be a string or a list of strings");
  return value.get<std::vector<std::string>>();
}

std::vector<std::pair<std::string, std::string>> Fields::text_members(
    const std::string& name) const {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [member, value] : required(name).items()) {
    if (!value.is_string()) throw wrong(name, "must have strings as its values");
    members.emplace_back(member, value.get<std::string>());
  }
  return members;
}

bool Fields::is_object(const std::string& name) const { return required(name).is_object(); }

bool Fields::is_text(const std::string& name) const { return required(name).is_string(); }

bool Fields::is_list(const std::string& name) const { return required(name).is_array(); }

void Fields::allow_only(const std::vector<std::string_view>& names) const {
  for (const auto& [name, value] : values_.items()) {
    if (name != "api_key" && std::find(names.begin(), names.end(), name) == names.end())
      throw wrong(name, "is not a field of this request");
  }
}

std::vector<nmt::SearchOption> decoding_fields(const ServiceLimits& limits) {
  using nmt::SearchOption;
  using nmt::SearchOptions;
  const std::pair<SearchOption::Field, double> maxima[] = {
      {&SearchOptions::beam, limits.beam},
      {&SearchOptions::nbest, limits.beam},
      {&SearchOptions::diverse_groups, limits.beam},
      {&SearchOptions::max_length_factor, limits.length_factor},
      {&SearchOptions::max_length_offset, limits.length_offset},
      {&SearchOptions::min_length, limits.length_offset}};
  std::vector<SearchOption> fields;
  std::ranges::copy_if(nmt::search_option_table(), std::back_inserter(fields), is_of_requests);
  for (const auto& [field, most] : maxima)
    std::ranges::find(fields, field, &SearchOption::field)->rule.most = most;
  return fields;
}

std::vector<std::string_view> with_decoding_fields(std::vector<std::string_view> more) {
  for (const nmt::SearchOption& option : nmt::search_option_table())
    if (is_of_requests(option)) more.emplace_back(option.name);
  return more;
}

nmt::SearchOptions default_search(const ServiceLimits& limits, const nmt::SearchDefaults& own) {
  nmt::SearchOptions options;
  options.take(own);
  for (const nmt::SearchOption& option : decoding_fields(limits)) {
    if (!option.rule.most) continue;
    if (const auto* const field = std::get_if<int64_t nmt::SearchOptions::*>(&option.field))
      options.*(*field) = std::min(options.*(*field), nearest_whole(*option.rule.most));
    if (const auto* const field = std::get_if<double nmt::SearchOptions::*>(&option.field))
      options.*(*field) = std::min(options.*(*field), *option.rule.most);
  }
  return options;
}

bool checks_copies(const Fields& fields) {
  const std::string check = fields.text_or("check", "none");
  if (check != "none" && check != "copies")
    throw HttpError::of_option("check", "check must be none or copies");
  return check == "copies";
}

nmt::KeptKinds kept_kinds(const Fields& fields, const ServiceLimits& limits) {
  if (!fields.has("keep")) return limits.keep;
  try {
    return nmt::kept_kinds_from(fields.text("keep"));
  } catch (const ConfigError& error) {
    throw HttpError::of_option("keep", std::string("keep: ") + error.what());
  }
}

std::string source_tag(const Fields& fields) {
  const std::string tag = fields.text_or("source_tag", "");
  const std::string problem = tag.empty() ? "" : data::source_tag_problem(tag);
  if (!problem.empty()) throw HttpError::of_option("source_tag", "source_tag: " + problem);
  return tag;
}

std::vector<std::string> avoided(const Fields& fields) {
  if (!fields.has("avoid")) return {};
  std::vector<std::string> texts = fields.texts("avoid");
  try {
    nmt::check_avoided(texts);
  } catch (const DataError& error) {
    throw HttpError::of_option("avoid", error.what());
  }
  return texts;
}

bool restores_case(const Fields& fields, const ServiceLimits& limits) {
  const std::string letters = fields.text_or("case", limits.restores_case ? "auto" : "keep");
  if (letters != "keep" && letters != "auto")
    throw HttpError::of_option("case", "case must be keep or auto");
  return letters == "auto";
}

nmt::SearchOptions search_options(const Fields& fields, const ServiceLimits& limits,
                                  const nmt::SearchDefaults& own) {
  nmt::SearchOptions options = default_search(limits, own);
  for (const nmt::SearchOption& option : decoding_fields(limits)) {
    const auto read = [&](auto field) {
      read_option(fields, option, options.*field);
      return option.rule.problem(option.name, options.*field);
    };
    const std::string problem = std::visit(read, option.field);
    if (!problem.empty()) throw HttpError::of_option(option.name, problem);
  }
  const std::vector<std::string> problems = options.problems();
  if (problems.empty()) return options;
  const std::string problem = with_field_names(problems.front());
  throw HttpError::of_option(problem.substr(0, problem.find_first_of(" ,")), problem);
}

}  // namespace dietmt::service
