// The models of libdietmt.so, which has no LibTorch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "common/error.h"
#include "dietmt/model_loading.h"
#include "kernels/cpu/instruction_sets.h"
#include "nmt/engine/stored_weights.h"

namespace dietmt {
namespace {

constexpr char kWithLibTorch[] = "(link dietmt::torch; in Python install dietmt[train])";

[[noreturn]] void refuse(const std::vector<std::string>& directories, const TranslatorOptions& o) {
  for (const std::string& directory : directories) {
    if (nmt::open_model(directory).quantization.empty()) {
      throw CheckpointError(
          directory + " has no packed weights: pack it with 'dietmt quantize " +
          "--model DIR --type fp32 --output PACKED' where LibTorch is installed, or "
          "use LibTorch here " +
          kWithLibTorch);
    }
    if (!nmt::has_stored_positions(directory)) {
      throw CheckpointError(directory + " has no stored positions: pack it again with 'dietmt " +
                            "quantize'; if that cannot store them, use LibTorch " + kWithLibTorch);
    }
  }
  throw CheckpointError(
      fmt::format("{} has no stored positions for lines of {} tokens: lower "
                  "max_source_length",
                  fmt::join(directories, ", "), o.max_source_length));
}

}  // namespace

std::shared_ptr<const nmt::LoadedDecoder> load_decoder(const std::string& model,
                                                       const TranslatorOptions& o) {
  kernels::chosen_instruction_set();  // reports an invalid DIETMT_INSTRUCTION_SET
  const std::string kind = o.device.substr(0, o.device.find(':'));
  if (kind == "cuda")
    throw ConfigError("device '" + o.device + "' needs LibTorch " + kWithLibTorch);
  if (o.device != "cpu" && o.device != "cpu:0")
    throw ConfigError("device is '" + o.device + "'; it must be cpu, cuda or cuda:I");
  if (o.weights == "fp16") throw ConfigError("weights 'fp16' need a GPU");
  const nmt::SearchOptions search = machine_options(o);
  throw_if_any(search.problems());
  const std::vector<std::string> directories = nmt::model_directories({model});
  auto loaded = nmt::load_stored_decoder(
      directories,
      {.weights = nmt::parse_weight_choice(o.weights), .shortlist = o.shortlist, .search = search});
  if (!loaded) refuse(directories, o);
  return std::make_shared<const nmt::LoadedDecoder>(std::move(*loaded));
}

}  // namespace dietmt
