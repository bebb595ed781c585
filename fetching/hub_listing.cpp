#include "fetching/hub_listing.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "common/error.h"
#include "common/json_fields.h"
#include "fetching/sha256.h"

namespace dietmt::fetching {
namespace {

constexpr size_t kMostListing = 16 << 20;

// The first of these that a repository has is the one that import reads: safetensors, whole or in
// several files, torch.save's, or CTranslate2's.
constexpr std::array<std::string_view, 5> kWeights = {
    "model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
    "pytorch_model.bin.index.json", "model.bin"};

bool is_weights(std::string_view name) {
  return name.ends_with(".safetensors") || name.ends_with(".bin") || name.ends_with(".index.json");
}

// "model-00001-of-00002.safetensors" for "model.safetensors.index.json".
bool is_shard_of(std::string_view name, std::string_view index) {
  const size_t dot = index.find('.');
  const std::string_view stem = index.substr(0, dot);
  const std::string_view extension = index.substr(dot, index.find('.', dot + 1) - dot);
  return name.starts_with(std::string(stem) + "-") && name.ends_with(extension);
}

bool is_vocabulary_or_settings(std::string_view name) {
  constexpr std::array<std::string_view, 4> kEndings = {".json", ".spm", ".model", ".txt"};
  return !is_weights(name) && std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return name.ends_with(ending);
  });
}

PublishedFile file_from(const nlohmann::json& json, const std::string& base) {
  PublishedFile file;
  read_field(json, "rfilename", file.name);
  file.url = base + file.name;
  file.size = field_or<int64_t>(json, "size", -1);
  if (!json.contains("lfs") || !json.at("lfs").is_object()) return file;
  const nlohmann::json& large = json.at("lfs");
  file.size = field_or<int64_t>(large, "size", file.size);
  file.sha256 = field_or<std::string>(large, "sha256", "");
  if (!file.sha256.empty() && !is_sha256(file.sha256))
    throw CheckpointError(file.name + ": its SHA-256 is not one");
  return file;
}

// A word or a list of words in the description that the owner wrote.
std::string licence_of(const nlohmann::json& listing) {
  if (!listing.contains("cardData") || !listing.at("cardData").is_object()) return {};
  const nlohmann::json& card = listing.at("cardData");
  if (!card.contains("license")) return {};
  const nlohmann::json& licence = card.at("license");
  return licence.is_string() ? licence.get<std::string>() : licence.dump();
}

std::vector<PublishedFile> files_to_import(const std::vector<PublishedFile>& all) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(all, name, &PublishedFile::name) != all.end();
  };
  const auto weights = std::ranges::find_if(kWeights, has);
  if (weights == kWeights.end()) return {};
  std::vector<PublishedFile> chosen;
  for (const PublishedFile& file : all) {
    if (is_vocabulary_or_settings(file.name) || file.name == *weights ||
        (weights->ends_with(".index.json") && is_shard_of(file.name, *weights)))
      chosen.push_back(file);
  }
  return chosen;
}

}  // namespace

std::string hub_endpoint() {
  const char* const given = std::getenv("HF_ENDPOINT");
  std::string endpoint = given == nullptr || *given == '\0' ? "https://huggingface.co" : given;
  if (!is_http_url(endpoint)) throw ConfigError("HF_ENDPOINT is '" + endpoint + "', not a URL");
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return endpoint;
}

void read_hub_listing(std::string_view text, const std::string& endpoint, PublishedModel& model) {
  try {
    const nlohmann::json listing = parse_json(text);
    std::string revision;
    read_field(listing, "sha", revision);
    if (!is_file_name(revision)) throw CheckpointError("'" + revision + "' is not a revision");
    const std::string base = endpoint + "/" + model.hub + "/resolve/" + revision + "/";
    const nlohmann::json& siblings = any_field(listing, "siblings");
    if (!siblings.is_array()) throw CheckpointError("siblings must be a list");
    std::vector<PublishedFile> all;
    for (const nlohmann::json& entry : siblings) {
      PublishedFile file = file_from(entry, base);
      if (is_file_name(file.name)) all.push_back(std::move(file));
    }
    if (model.licence.empty()) model.licence = licence_of(listing);
    model.files = files_to_import(all);
  } catch (const CheckpointError& error) {
    throw CheckpointError(endpoint + ", " + model.hub + ": " + error.what());
  }
  if (model.files.empty())
    throw CheckpointError(endpoint + "/" + model.hub +
                          ": has no weights that 'dietmt import' reads (model.safetensors, "
                          "pytorch_model.bin or model.bin)");
}

void look_up(HttpClient& client, PublishedModel& model) {
  if (model.hub.empty() || !model.files.empty()) return;
  const std::string endpoint = hub_endpoint();
  const std::string url = endpoint + "/api/models/" + model.hub + "?blobs=true";
  read_hub_listing(client.text(url, kMostListing), endpoint, model);
}

}  // namespace dietmt::fetching
