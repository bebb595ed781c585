// dietmt: one program, one subcommand per task. It starts without LibTorch and replaces itself with
// dietmt-torch for commands and models that need LibTorch, and with dietmt-serve, dietmt-models and
// dietmt-clean for `serve`, `models` and `clean`, whose libraries would make every command start
// later.
#include <map>
#include <memory>

#include "nmt/engine/repack.h"
#include "nmt/engine/stored_weights.h"
#include "nmt/translation/loaded_decoder.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"
#include "tools/learned_metric.h"
#include "tools/rerank_features.h"

namespace dietmt::tools {

DecoderSource decoder_source(const DecodingOptions& o, const std::string& command,
                             const std::vector<std::string>& arguments) {
  std::optional<nmt::LoadedDecoder> loaded;
  if (o.device == "cpu") {
    loaded = nmt::load_stored_decoder(nmt::model_directories(o.models),
                                      {.weights = nmt::parse_weight_choice(o.weights),
                                       .shortlist = o.shortlist,
                                       .search = o.search});
  }
  if (!loaded) continue_with_libtorch(command, arguments);
  const auto shared = std::make_shared<nmt::LoadedDecoder>(std::move(*loaded));
  return [shared] { return std::move(*shared); };
}

Quantizer quantizer(const nmt::ModelFiles& model, const std::vector<std::string>& arguments) {
  if (model.quantization.empty() || !nmt::has_stored_positions(model.directory))
    continue_with_libtorch("quantize", arguments);
  return {nmt::repack, [](const std::string& directory) {
            return nmt::load_stored_decoder({directory}, {}).value();
          }};
}

LearnedMetric learned_metric(const LearnedMetricOptions&, const std::string& command,
                             const std::vector<std::string>& arguments) {
  continue_with_libtorch(command, arguments);
}

LanguageModel language_model(const std::string&, const RerankModels&,
                             const std::vector<std::string>& arguments) {
  continue_with_libtorch("rerank", arguments);
}

}  // namespace dietmt::tools

int main(int argc, char** argv) {
  using namespace dietmt::tools;
  const std::map<std::string, Command> own = {
      {"align", run_align},         {"distill", run_distill},     {"evaluate", run_evaluate},
      {"quantize", run_quantize},   {"rerank", run_rerank},       {"score", run_score},
      {"shortlist", run_shortlist}, {"tokenizer", run_tokenizer}, {"translate", run_translate},
  };
  return run_program(argc, argv, [&](const std::string& name) -> Command {
    const auto found = own.find(name);
    if (found != own.end()) return found->second;
    return [name](const std::vector<std::string>& arguments) -> int {
      if (name == "serve" || name == "models" || name == "clean") run_own_program(name, arguments);
      run_with_libtorch(name, arguments);
    };
  });
}
