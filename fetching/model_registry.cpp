#include "fetching/model_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/options.h"
#include "fetching/http_client.h"
#include "fetching/sha256.h"
#include "storage/fetched_models.h"

namespace dietmt::fetching {
namespace {

constexpr int kFormat = 1;
constexpr std::string_view kHub = "hf:";
constexpr int64_t kMostBytes = int64_t{1} << 40;

void require(bool holds, const std::string& problem) {
  if (!holds) throw CheckpointError(problem);
}

PublishedFile file_from(const nlohmann::json& json) {
  PublishedFile file;
  read_field(json, "name", file.name);
  require(is_file_name(file.name), "'" + file.name + "' is not the name of a file");
  read_field(json, "url", file.url);
  require(is_http_url(file.url), file.name + ": the URL must start with https:// or http://");
  file.size = field_or<int64_t>(json, "size", -1);
  require(file.size >= -1 && file.size <= kMostBytes,
          fmt::format("{}: the size {} is out of range", file.name, file.size));
  file.sha256 = field_or<std::string>(json, "sha256", "");
  require(file.sha256.empty() || is_sha256(file.sha256),
          file.name + ": sha256 must be 64 hexadecimal digits in lower case");
  file.compressed = field_or<bool>(json, "compressed", false);
  return file;
}

void read_files(const nlohmann::json& json, PublishedModel& model) {
  const nlohmann::json& files = any_field(json, "files");
  require(files.is_array() && !files.empty(), "files must be a list");
  std::set<std::string> names;
  for (const nlohmann::json& file : files) {
    model.files.push_back(file_from(file));
    require(names.insert(model.files.back().name).second,
            "two files are called " + model.files.back().name);
  }
}

PublishedModel model_from(const nlohmann::json& json) {
  PublishedModel model;
  read_field(json, "name", model.name);
  try {
    require(storage::is_model_name(model.name), "not a name such as firefox:en-de");
    model.pair = field_or<std::string>(json, "pair", "");
    model.kind = field_or<std::string>(json, "kind", "");
    model.licence = field_or<std::string>(json, "licence", "");
    model.hub = field_or<std::string>(json, "hub", "");
    if (model.hub.empty()) return read_files(json, model), model;
    require(storage::is_model_name(std::string(kHub) + model.hub),
            "hub must be OWNER/NAME, not '" + model.hub + "'");
    return model;
  } catch (const CheckpointError& error) {
    throw CheckpointError(model.name + ": " + error.what());
  }
}

}  // namespace

std::optional<int64_t> PublishedModel::size() const {
  if (files.empty()) return std::nullopt;
  int64_t sum = 0;
  for (const PublishedFile& file : files) {
    if (file.size < 0) return std::nullopt;
    sum += file.size;
  }
  return sum;
}

std::string megabytes(int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string described_licence(const std::string& licence) {
  if (licence.empty()) return "not stated; ask the publisher";
  std::string lower = licence;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return licence + (lower.find("-nc") == lower.npos ? "" : " (not for commercial use)");
}

bool is_file_name(std::string_view text) {
  constexpr size_t kLongest = 200;
  return !text.empty() && text.size() <= kLongest && text.front() != '.' &&
         text.find('/') == text.npos && std::ranges::none_of(text, [](char c) {
           return static_cast<unsigned char>(c) < ' ' || c == '\\';
         });
}

std::vector<PublishedModel> parse_registry(std::string_view text, const std::string& where) {
  std::vector<PublishedModel> models;
  try {
    const nlohmann::json json = parse_json(text);
    require(json.is_object(), "is not an object");
    int64_t format = 0;
    read_field(json, "format", format);
    require(format == kFormat,
            fmt::format("unknown format {}; this version reads format {}", format, kFormat));
    const nlohmann::json& list = any_field(json, "models");
    require(list.is_array(), "models must be a list");
    std::set<std::string> names;
    for (const nlohmann::json& entry : list) {
      models.push_back(model_from(entry));
      require(names.insert(models.back().name).second,
              "two models are called " + models.back().name);
    }
  } catch (const CheckpointError& error) {
    throw CheckpointError(where + ": " + error.what());
  }
  return models;
}

PublishedModel published_model(const std::vector<PublishedModel>& registry,
                               const std::string& name) {
  std::vector<std::string> names;
  for (const PublishedModel& model : registry) {
    if (model.name == name) return model;
    names.push_back(model.name);
  }
  if (!storage::is_model_name(name))
    throw ConfigError("'" + name + "' is not the name of a model: write firefox:en-de, or " +
                      "hf:OWNER/NAME for a repository of the Hugging Face hub");
  if (name.starts_with(kHub) && name.find('/') != name.npos)
    return {.name = name, .kind = "Hugging Face", .hub = name.substr(kHub.size())};
  throw ConfigError("'" + name + "' is not in the registry" + suggestion(name, names) +
                    "; 'dietmt models list' shows what is");
}

}  // namespace dietmt::fetching
