#include "nmt/engine/stored_positions.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "storage/safetensors_file.h"

namespace dietmt::nmt {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

// Reads one site of the description. Throws std::exception.
class SiteReader {
 public:
  SiteReader(const storage::SafetensorsFile& file, const SiteSizes& sizes)
      : file_(file), sizes_(sizes) {}

  StoredSite read(const json& given) {
    StoredSite site;
    if (given.contains("max_length")) site.max_length = whole_number(given.at("max_length"));
    length_ = StoredSite::kNoLimit;
    if (given.contains("length")) length_ = whole_number(given.at("length"));
    site.terms.length = length_;
    if (site.max_length < 1 || length_ < 1) refuse("its lengths are not positive");
    if (given.contains("sinusoids")) site.sinusoids = sinusoids(given.at("sinusoids"));
    if (given.contains("embedding")) {
      site.terms.embedding = table(given.at("embedding"), TermRows::kPositions);
      require(site.terms.embedding.width == sizes_.width, "embedding");
      require(reaches(site.terms.embedding), "embedding");
    }
    for (const json& layer : given.at("layers")) site.terms.layers.push_back(read_layer(layer));
    require(static_cast<int64_t>(site.terms.layers.size()) == sizes_.layers, "layers");
    site.terms.storage = {file_.file};
    return site;
  }

 private:
  static void require(bool fits, const std::string& what) {
    if (!fits) refuse("the sizes of '" + what + "' are not those of the model");
  }

  Sinusoids sinusoids(const json& given) const {
    Sinusoids read{given.at("halves").get<bool>(),
                   given.at("frequencies").get<std::vector<double>>()};
    require(2 * static_cast<int64_t>(read.frequencies.size()) == sizes_.width, "frequencies");
    return read;
  }

  LayerTerms read_layer(const json& given) {
    LayerTerms layer;
    layer.content_scale = given.at("content_scale").get<std::vector<float>>();
    layer.halved = given.at("halved").get<std::vector<bool>>();
    visit_tables(layer, [&](const char* name, TermTable& to, TermRows rows) {
      if (given.contains(name)) to = table(given.at(name), rows);
    });
    check(layer);
    return layer;
  }

  void check(const LayerTerms& layer) const {
    require(static_cast<int64_t>(layer.content_scale.size()) == sizes_.heads, "content_scale");
    require(static_cast<int64_t>(layer.halved.size()) == sizes_.heads, "halved");
    require(layer.query_features.width == layer.key_features.width, "key_features");
    require(reaches(layer.query_features), "query_features");
    require(reaches(layer.key_features), "key_features");
    for (const TermTable& shift : {layer.query_shift, layer.key_shift})
      require(!shift || shift.width == sizes_.head_width, "shift");
    for (const TermTable& rotation :
         {layer.query_cosines, layer.query_sines, layer.key_cosines, layer.key_sines}) {
      require(rotation.width == layer.query_cosines.width, "query_cosines");
      require(!rotation || rotation.width == sizes_.head_width / 2, "query_cosines");
    }
  }

  // Only shifts and rotations can have one row for all positions.
  bool reaches(const TermTable& table) const { return !table || table.rows >= length_; }

  TermTable table(const json& given, TermRows rows) const {
    const auto name = given.at("tensor").get<std::string>();
    const auto found = file_.tensors.find(name);
    if (found == file_.tensors.end()) refuse("tensor '" + name + "' is missing");
    const storage::TensorView& view = found->second;
    if (view.dtype != "F32" || view.shape.size() != 3)
      refuse("tensor '" + name + "' is not an fp32 table");
    const TermTable table{reinterpret_cast<const float*>(view.data),
                          view.shape[0],
                          view.shape[1],
                          view.shape[2],
                          view.shape[1] * view.shape[2],
                          given.at("grows").get<bool>()};
    require(table.heads == 1 || table.heads == sizes_.heads, name);
    require(table.rows > 0 && table.width > 0, name);
    require(fits(table, rows), name);
    const uintptr_t alignment = view.bytes % 64 == 0 ? 64 : alignof(float);  // save_safetensors()
    if (reinterpret_cast<uintptr_t>(view.data) % alignment != 0)
      refuse("tensor '" + name + "' is not aligned; write the model again with 'dietmt quantize'");
    return table;
  }

  static bool is_vectors(TermRows rows) {
    return rows == TermRows::kVectors || rows == TermRows::kSteps;
  }

  bool fits(const TermTable& table, TermRows rows) const {
    if (is_vectors(rows) && table.width != sizes_.vector_width) return false;
    if (rows == TermRows::kPositions) return table.rows == 1 || table.rows >= length_;
    if (rows == TermRows::kOffsets && table.width != 1) return false;
    if (rows == TermRows::kSteps) return table.rows > 0;
    return rows != TermRows::kSentence && table.rows % 2 == 1;
  }

  const storage::SafetensorsFile& file_;
  const SiteSizes& sizes_;
  int64_t length_ = 0;
};

SiteTerms terms_of(const StoredSite& site, int64_t length) {
  SiteTerms terms = part_of(site.terms, length);
  if (!site.sinusoids) return terms;
  const auto rows = std::make_shared<const std::vector<float>>(site.sinusoids->rows(length));
  const auto width = static_cast<int64_t>(rows->size()) / length;
  terms.embedding = {rows->data(), 1, length, width, length * width};
  terms.storage.push_back(rows);
  return terms;
}

}  // namespace

std::vector<float> Sinusoids::rows(int64_t length) const {
  const size_t count = frequencies.size();
  const size_t step = halves ? 1 : 2;
  const size_t cosine = halves ? count : 1;
  std::vector<float> table(static_cast<size_t>(length) * 2 * count);
  for (int64_t t = 0; t < length; ++t) {
    float* row = table.data() + static_cast<size_t>(t) * 2 * count;
    for (size_t m = 0; m < count; ++m) {
      const double angle = static_cast<double>(t) * frequencies[m];
      row[m * step] = static_cast<float>(std::sin(angle));
      row[m * step + cosine] = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

StoredPositions read_positions(const std::filesystem::path& path, const EngineWeights& weights) {
  const storage::SafetensorsFile file = storage::open_safetensors(path);
  const auto metadata = storage::load_safetensors_metadata(path);
  try {
    if (!metadata.contains(kPositionsEntry))
      refuse("its __metadata__ does not describe the tables");
    const json sites = parse_json(metadata.at(kPositionsEntry));
    const auto site = [&](const char* name, const SiteSizes& sizes) {
      return std::make_shared<const StoredSite>(SiteReader(file, sizes).read(sites.at(name)));
    };
    return {site("encoder", encoder_sizes(weights)), site("decoder", decoder_sizes(weights)),
            site("cross", decoder_sizes(weights))};
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + json_problem(error));
  }
}

std::unique_ptr<PositionTables> position_tables(std::shared_ptr<const StoredSite> site) {
  const int64_t max_length = std::min(site->max_length, site->terms.length);
  return std::make_unique<PositionTables>(
      [site = std::move(site)](int64_t length) {
        return site_positions(multiply_features(terms_of(*site, length)));
      },
      max_length);
}

}  // namespace dietmt::nmt
