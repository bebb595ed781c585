#include "service/jobs/job_upload_form.h"

#include <charconv>
#include <functional>

#include "common/error.h"
#include "common/text_io.h"

namespace dietmt::service {
namespace {

int64_t whole_number(const std::string& name, const std::string& text) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size())
    throw RequestError(name + ": \"" + text + "\" is not a whole number");
  return value;
}

nlohmann::json decoding_options(const std::string& text) {
  nlohmann::json options = nlohmann::json::parse(text, nullptr, false);
  if (!options.is_object()) throw RequestError("options: not a JSON object");
  return options;
}

// The last part of a path, without control characters.
std::string file_name(const std::string& given) {
  const std::string name = given.substr(given.find_last_of("/\\") + 1);
  std::string shown;
  for (const char c : name)
    if (static_cast<unsigned char>(c) >= ' ' && c != 0x7F) shown += c;
  return shown;
}

using Setter = std::function<void(JobOptions&, const std::string&)>;

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> table = {
      {"model", [](JobOptions& o, const std::string& text) { o.model = text; }},
      {"source", [](JobOptions& o, const std::string& text) { o.source = text; }},
      {"target", [](JobOptions& o, const std::string& text) { o.target = text; }},
      {"options",
       [](JobOptions& o, const std::string& text) { o.decoding = decoding_options(text); }},
      {"name", [](JobOptions& o, const std::string& text) { o.name = file_name(text); }},
      {"format", [](JobOptions& o, const std::string& text) { o.format.kind = line_kind(text); }},
      {"column", [](JobOptions& o,
                    const std::string& text) { o.format.column = whole_number("column", text); }},
      {"field", [](JobOptions& o, const std::string& text) { o.format.field = text; }},
      {"output",
       [](JobOptions& o, const std::string& text) { o.format.output = line_output(text); }},
      {"output_field",
       [](JobOptions& o, const std::string& text) { o.format.output_field = text; }},
  };
  return table;
}

}  // namespace

JobOptions job_options_of(const JobSettings& settings) {
  JobOptions options;
  if (const auto name = settings.find("name"); name != settings.end())
    options.format.kind = guess_line_kind(name->second);
  for (const auto& [name, text] : settings) {
    if (name == "api_key") continue;  // seen to before
    const auto setter = setters().find(name);
    if (setter == setters().end()) throw RequestError("there is no setting \"" + name + "\"");
    if (invalid_utf8_at(text) != text.npos) throw RequestError(name + ": not valid UTF-8");
    setter->second(options, text);
  }
  return options;
}

}  // namespace dietmt::service
