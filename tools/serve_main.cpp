// dietmt-serve: the command `serve` for models that need no LibTorch. `dietmt` starts it; by hand,
// the word `serve` may be left out.
#include <algorithm>

#include "common/error.h"
#include "nmt/engine/stored_weights.h"
#include "tools/commands.h"
#include "tools/served_models.h"

namespace dietmt::tools {
namespace {

class StoredModels : public ServedModels {
 public:
  explicit StoredModels(const ServeOptions& options)
      : weights_(nmt::parse_weight_choice(options.weights)) {}

  nmt::LoadedDecoder load(const service::ModelSpec& spec) override {
    auto loaded = nmt::load_stored_decoder(nmt::model_directories({spec.directory.string()}),
                                           {.weights = weights_, .shortlist = spec.shortlist});
    if (loaded) return std::move(*loaded);
    throw_replaced(spec);
  }

  reporting::SentenceAnalysis analyse(const service::ModelSpec& spec,
                                      const service::AnalysisRequest&) override {
    service::read_for_analysis(spec, [&](const nmt::ModelFiles&) { throw_replaced(spec); });
    return {};
  }

 private:
  [[noreturn]] static void throw_replaced(const service::ModelSpec& spec) {
    throw CheckpointError(spec.directory.string() +
                          ": was packed for decoding when the server started, and no longer is: "
                          "restart the server");
  }

  std::optional<kernels::WeightType> weights_;
};

// A directory that cannot be read needs nothing: loading it says what is wrong.
bool needs_libtorch(const service::ModelSpec& spec) {
  try {
    return !std::ranges::all_of(nmt::model_directories({spec.directory.string()}),
                                nmt::has_stored_positions);
  } catch (const CheckpointError&) {
    return false;
  }
}

}  // namespace

std::unique_ptr<ServedModels> served_models(const ServeOptions& options,
                                            const std::vector<service::ModelSpec>& specs,
                                            const std::vector<std::string>& arguments) {
  if (options.device != "cpu" || !options.quality_model.empty() ||
      std::ranges::any_of(specs, needs_libtorch))
    continue_with_libtorch("serve", arguments);
  return std::make_unique<StoredModels>(options);
}

}  // namespace dietmt::tools

int main(int argc, char** argv) {
  using namespace dietmt::tools;
  std::vector<char*> words(argv, argv + argc);
  std::string only = "serve";  // may be left out
  if (argc < 2 || argv[1][0] == '-') words.insert(words.begin() + 1, only.data());
  return run_program(static_cast<int>(words.size()), words.data(),
                     [](const std::string& name) -> Command {
                       if (name == "serve") return run_serve;
                       throw dietmt::ConfigError("dietmt-serve runs only 'serve': call dietmt");
                     });
}
