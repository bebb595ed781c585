// MetricX (Juraska et al. 2023, "MetricX-23"; 2024, "MetricX-24"): an mT5 that reads a translation
// with its source, a reference or both. The first state of its decoder says how bad it is.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

/// What the models of a family read, and in which order.
struct MetricxLayout {
  std::string name;          // "metricx-24", "metricx-23" or "metricx-23-qe"
  bool reads_source = true;  // before the translation in metricx-24, otherwise after it
  bool reads_reference = true;
  bool needs_reference = true;
  int64_t max_pieces = 0;  // of an input
};

/// Throws CheckpointError, which lists the names.
const MetricxLayout& metricx_layout(const std::string& name);

/// The names of all layouts, longest first: one may begin with another.
std::vector<std::string> metricx_layouts();

struct Metricx {
  std::string name;  // of the checkpoint that it was imported from; signatures have it
  MetricxLayout layout;
  std::shared_ptr<TranslationModel> model;  // without an output layer: all its tables are tied
  std::shared_ptr<const data::Tokenizer> tokenizer;
  at::Tensor output;  // [D]: its product with the decoder's first state is the score
};

/// Writes config.json, model.safetensors and tokenizer.model into `directory`, which exists.
void write_metricx(const std::filesystem::path& directory, const Metricx& metric);

/// Whether config.json in `directory` says that it is a MetricX model.
bool is_metricx(const std::filesystem::path& directory);

/// Throws CheckpointError naming the file, and the field or tensor at fault.
Metricx load_metricx(const std::filesystem::path& directory, at::Device device = at::kCPU);

}  // namespace dietmt::nmt
