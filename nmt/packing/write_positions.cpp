
#include <ATen/ATen.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "encoders/position/scheme/position_scheme.h"
#include "encoders/position/sinusoid_table.h"
#include "encoders/weights/safetensors.h"
#include "nmt/engine/stored_positions.h"
#include "nmt/packing/engine_models.h"
#include "nmt/packing/lower_positions.h"

namespace dietmt::nmt {
namespace {

using nlohmann::json;

constexpr int64_t kLongest = 4096;        // tokens; twice what 'dietmt translate' takes by default
constexpr size_t kMostBytes = 64U << 20;  // of all tables

// Collects tables as tensors of a file; equal tables are stored once.
class TableFile {
 public:
  json add(const TermTable& table) { return {{"tensor", name_of(table)}, {"grows", table.grows}}; }

  size_t bytes() const { return bytes_; }
  const std::vector<std::pair<std::string, at::Tensor>>& tensors() const { return tensors_; }

 private:
  std::string name_of(const TermTable& table) {
    const at::Tensor tensor =
        at::from_blob(const_cast<float*>(table.data), {table.heads, table.rows, table.width});
    for (const auto& [name, other] : tensors_) {
      if (other.sizes() == tensor.sizes() &&
          std::memcmp(other.const_data_ptr(), tensor.const_data_ptr(), tensor.nbytes()) == 0)
        return name;
    }
    bytes_ += tensor.nbytes();
    tensors_.emplace_back("table" + std::to_string(tensors_.size()), tensor);
    return tensors_.back().first;
  }

  std::vector<std::pair<std::string, at::Tensor>> tensors_;
  size_t bytes_ = 0;
};

struct Contents {
  bool has_any = false;            // tables
  bool needs_whole_terms = false;  // tables that depend on whole sentences have no parts
  size_t bytes = 0;
};

Contents contents_of(const SiteTerms& terms) {
  Contents found;
  std::set<const float*> seen;  // layers may share tables
  for (const LayerTerms& layer : terms.layers) {
    visit_tables(layer, [&](const char*, const TermTable& table, TermRows rows) {
      if (!table) return;
      found.has_any = true;
      found.needs_whole_terms |= rows == TermRows::kSentence;
      if (seen.insert(table.data).second)
        found.bytes += static_cast<size_t>(table.heads * table.head_stride) * sizeof(float);
    });
  }
  return found;
}

template <typename Terms, typename Visit>
void visit_all(Terms& terms, const Visit& visit) {
  visit(terms.embedding);
  for (auto& layer : terms.layers)
    visit_tables(layer, [&](const char*, auto& table, TermRows) { visit(table); });
}

std::vector<int64_t> rows_of(const SiteTerms& terms) {
  std::vector<int64_t> rows;
  visit_all(terms, [&](const TermTable& table) { rows.push_back(table.rows); });
  return rows;
}

// The terms of the longest sentences, if part_of() makes the terms of all shorter ones from them.
std::optional<SiteTerms> longest_terms(const encoders::PositionScheme& scheme,
                                       const SiteSizes& sizes) {
  const int64_t longest = std::min(scheme.max_length(), kLongest);
  SiteTerms terms = lower_terms(scheme, sizes, std::min(PositionTables::kShortest, longest));
  const std::vector<int64_t> fewest = rows_of(terms);
  while (terms.length < longest) {
    const Contents contents = contents_of(terms);
    if (contents.needs_whole_terms || contents.bytes > kMostBytes) return {};
    SiteTerms longer = lower_terms(scheme, sizes, std::min(2 * terms.length, longest));
    auto rows = fewest.begin();
    visit_all(longer, [&](TermTable& table) { table.grows = table.rows != *rows++; });
    if (!equal(part_of(longer, terms.length), terms)) return {};
    terms = std::move(longer);
  }
  if (contents_of(terms).needs_whole_terms) return {};
  return terms;
}

// The sinusoids that yield `embedding` to the last bit; none if no sinusoids do.
std::optional<Sinusoids> sinusoids_of(const TermTable& embedding) {
  const int64_t half = embedding.width / 2;
  if (embedding.width % 2 != 0) return {};
  for (const auto& [halves, steps] :
       {std::pair{false, half}, std::pair{true, half - 1}, std::pair{true, half}}) {
    const at::Tensor frequencies = encoders::sinusoid_frequencies(half, static_cast<double>(steps));
    const auto* first = frequencies.const_data_ptr<double>();
    Sinusoids found{halves, {first, first + half}};
    const std::vector<float> rows = found.rows(embedding.rows);
    if (std::memcmp(rows.data(), embedding.data, rows.size() * sizeof(float)) == 0) return found;
  }
  return {};
}

json describe(const LayerTerms& layer, TableFile& file) {
  json described = {{"content_scale", layer.content_scale}, {"halved", layer.halved}};
  visit_tables(layer, [&](const char* name, const TermTable& table, TermRows) {
    if (table) described[name] = file.add(table);
  });
  return described;
}

json describe(const SiteTerms& terms, int64_t max_length, TableFile& file) {
  json described;
  if (max_length != StoredSite::kNoLimit) described["max_length"] = max_length;
  std::optional<Sinusoids> sinusoids;
  if (terms.embedding) sinusoids = sinusoids_of(terms.embedding);
  if (sinusoids) {
    described["sinusoids"] = {{"halves", sinusoids->halves},
                              {"frequencies", sinusoids->frequencies}};
  } else if (terms.embedding) {
    described["embedding"] = file.add(terms.embedding);
  }
  // Nothing else depends on the length.
  if (contents_of(terms).has_any || described.contains("embedding"))
    described["length"] = terms.length;
  described["layers"] = json::array();
  for (const LayerTerms& layer : terms.layers) described["layers"].push_back(describe(layer, file));
  return described;
}

}  // namespace

bool write_positions(const std::filesystem::path& directory, const PositionSchemes& schemes,
                     const EngineWeights& weights) {
  const auto encoder = longest_terms(*schemes.encoder, encoder_sizes(weights));
  if (!encoder) return false;
  const auto decoder = longest_terms(*schemes.decoder, decoder_sizes(weights));
  const auto cross = longest_terms(*schemes.cross, decoder_sizes(weights));
  if (!decoder || !cross) return false;
  TableFile file;
  const json sites = {{"encoder", describe(*encoder, schemes.encoder->max_length(), file)},
                      {"decoder", describe(*decoder, schemes.decoder->max_length(), file)},
                      {"cross", describe(*cross, schemes.cross->max_length(), file)}};
  if (file.bytes() > kMostBytes) return false;
  encoders::save_safetensors(directory / kPositionsFile, file.tensors(),
                             {{kPositionsEntry, sites.dump()}});
  return true;
}

}  // namespace dietmt::nmt
