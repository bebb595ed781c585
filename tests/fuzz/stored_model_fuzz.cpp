// The safetensors files of packed models. The input is the number of bytes after the header, a line
// end and the header, so that the fuzzer need not guess binary lengths; an input that does not
// start with a digit is the whole file. A file that is accepted as a small model's weights, or as
// its position tables, must contain everything that the engine reads.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/error.h"
#include "nmt/engine/stored_positions.h"
#include "nmt/engine/stored_weights.h"
#include "nmt/model/config.h"
#include "tests/fuzz/scratch_file.h"

namespace {

using namespace dietmt::nmt;
using dietmt::kernels::PackedWeights;
using dietmt::kernels::WeightType;

constexpr uint64_t kMaxData = 1 << 16;
constexpr int64_t kMaxLength = 300;

ModelConfig small_config() {
  ModelConfig config;
  config.source_vocabulary = config.target_vocabulary = 8;
  config.encoder_layers = config.decoder_layers = 1;
  config.width = config.feed_forward = 4;
  config.heads = 2;
  return config;
}

// Reads every byte under the address sanitizer.
void touch(const void* data, uint64_t bytes) {
  static volatile unsigned char sum = 0;
  const auto* begin = static_cast<const unsigned char*>(data);
  for (uint64_t i = 0; i < bytes; ++i) sum = static_cast<unsigned char>(sum + begin[i]);
}

void touch_numbers(const float* data, int64_t count) {
  if (reinterpret_cast<uintptr_t>(data) % alignof(float) != 0) std::abort();
  touch(data, static_cast<uint64_t>(count) * sizeof(float));
}

// Reads everything a model asks for from another source.
class TouchingSource : public WeightSource {
 public:
  explicit TouchingSource(StoredWeights& from) : from_(from) {}

  PackedWeights matrix(const WeightRows& rows) override {
    const PackedWeights made = from_.matrix(rows);
    const bool int8 = made.type == WeightType::kInt8;
    uint64_t bytes = int8 ? 1 : made.type == WeightType::kBFloat16 ? 2 : 4;
    for (const int64_t size : panel_shape(made.type, rows.outputs, rows.inputs))
      bytes *= static_cast<uint64_t>(size);
    touch(made.panels, bytes);
    if (int8) touch_numbers(made.scales, rows.outputs);
    if (int8) touch(made.sums, static_cast<uint64_t>(rows.outputs) * sizeof(int32_t));
    return made;
  }

  const float* numbers(const std::string& parameter, int64_t count) override {
    const float* made = from_.numbers(parameter, count);
    touch_numbers(made, count);
    return made;
  }

  std::shared_ptr<const void> storage() const override { return from_.storage(); }

 private:
  StoredWeights& from_;
};

// Zeros for all parameters.
class ZeroSource : public WeightSource {
 public:
  PackedWeights matrix(const WeightRows& rows) override {
    PackedWeights made{WeightType::kFloat, rows.outputs, rows.inputs};
    made.panels = zeros_.data();
    return made;
  }
  const float* numbers(const std::string&, int64_t) override { return zeros_.data(); }
  std::shared_ptr<const void> storage() const override { return nullptr; }

 private:
  std::vector<float> zeros_ = std::vector<float>(1 << 12);
};

void touch_biases(const SitePositions& positions, const SiteSizes& sizes, int64_t length) {
  for (const LayerPositions& layer : positions.layers) {
    const dietmt::kernels::HeadTable& bias = layer.step.terms.tables.position_bias;
    if (bias.data == nullptr) continue;
    if (layer.step.bias_keys < length) std::abort();
    for (int64_t h = 0; h < sizes.heads; ++h)
      touch_numbers(bias.data + h * bias.head_stride, length * layer.step.bias_keys);
  }
}

void touch_tables(const std::shared_ptr<const StoredSite>& stored, const SiteSizes& sizes) {
  const StoredSite& site = *stored;
  const int64_t longest = std::min({site.terms.length, site.max_length, kMaxLength});
  const auto tables = position_tables(stored);
  if (longest < 1) std::abort();
  for (const int64_t length : {int64_t{1}, (longest + 1) / 2, longest}) {
    touch_biases(tables->of(length), sizes, length);
    const SiteTerms part = part_of(site.terms, length);
    for (const LayerTerms& layer : part.layers) {
      visit_tables(layer, [&](const char*, const TermTable& table, TermRows rows) {
        if (rows == TermRows::kPositions && table && table.rows != 1 && table.rows < length)
          std::abort();
        for (int64_t h = 0; h < table.heads; ++h)
          touch_numbers(table.data + h * table.head_stride, table.rows * table.width);
      });
    }
    if (site.sinusoids) {
      if (site.sinusoids->rows(length).size() != static_cast<size_t>(length * sizes.width))
        std::abort();
    } else if (part.embedding) {
      touch_numbers(part.embedding.data, std::min(part.embedding.rows, length) * sizes.width);
    }
  }
}

template <typename Read>
void try_to(Read read) {
  try {
    read();
  } catch (const dietmt::Error&) {
  }
}

std::string file_of(const std::string& input) {
  uint64_t size = 0;
  const char* end = input.data() + input.size();
  const auto [stop, error] = std::from_chars(input.data(), end, size);
  if (error != std::errc() || stop == end || *stop != '\n' || size > kMaxData) return input;
  std::string header(stop + 1, end);
  // As in written files: the data starts at a multiple of 64 bytes.
  header.resize((header.size() + sizeof size + 63) / 64 * 64 - sizeof size, ' ');
  std::string file(sizeof size, '\0');
  const uint64_t length = header.size();
  std::memcpy(file.data(), &length, sizeof length);
  return file + header + std::string(size, '\x11');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const dietmt::ScratchFile scratch;
  static const ModelConfig config = small_config();
  static const std::shared_ptr<const EngineWeights> weights = [] {
    ZeroSource zeros;
    return assemble_weights(config, zeros);
  }();
  scratch.fill(file_of({reinterpret_cast<const char*>(data), size}));
  try_to([] {
    const auto view = dietmt::storage::open_safetensors(scratch.path());
    for (const auto& [name, tensor] : view.tensors) touch(tensor.data, tensor.bytes);
  });
  for (const WeightType type : {WeightType::kFloat, WeightType::kBFloat16, WeightType::kInt8}) {
    try_to([type] {
      StoredWeights stored(dietmt::storage::open_safetensors(scratch.path()), "file", type);
      TouchingSource touching(stored);
      assemble_weights(config, touching);
    });
  }
  try_to([] {
    const StoredPositions positions = read_positions(scratch.path(), *weights);
    touch_tables(positions.encoder, encoder_sizes(*weights));
    touch_tables(positions.decoder, decoder_sizes(*weights));
    touch_tables(positions.cross, decoder_sizes(*weights));
  });
  return 0;
}
