// dietmt inspect: what a model is made of, and what its positions do.
#include <iostream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/options.h"
#include "inspection/parameter_table.h"
#include "nmt/network/model_directory.h"
#include "nmt/network/translation_model.h"
#include "tools/commands.h"
#include "tools/inspect_attention.h"
#include "tools/inspect_positions.h"
#include "tools/model_options.h"

namespace dietmt::tools {
namespace {

int inspect_params(const std::vector<std::string>& arguments) {
  std::string directory;
  int64_t vocabulary = 8000;
  ModelOptions options;
  OptionTable table("inspect params", "[--model DIR | --preset NAME --position SPEC ...]",
                    "Counts the parameters of a model, or of the model that the options describe, "
                    "by component. 'positions' is the sum over all position encodings.");
  table.add("model", &directory, "DIR", "a model directory or the output of dietmt train")
      .add("vocab-size", &vocabulary, "N", "pieces of either language");
  bind_model_options(table, options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  if (!directory.empty()) {
    std::cout << inspection::parameter_table(
        nmt::TranslationModel(nmt::open_model(directory).config, 0));
    return 0;
  }
  apply_preset(table, options);
  if (print_position_help(options)) return 0;
  options.model.source_vocabulary = options.model.target_vocabulary = vocabulary;
  std::cout << inspection::parameter_table(nmt::TranslationModel(options.model, 1));
  return 0;
}

int inspect_model(const std::vector<std::string>& arguments) {
  std::string directory;
  OptionTable table("inspect model", "--model DIR", "Prints the configuration of a model as JSON.");
  table.add("model", &directory, "DIR", "a model directory or the output of dietmt train");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  if (directory.empty()) throw ConfigError("--model is missing");
  const nmt::ModelFiles files = nmt::open_model(directory);
  nlohmann::json description = files.config.to_json();
  if (!files.quantization.empty()) description["quantization"] = files.quantization;
  std::cout << description.dump(1) << '\n';
  return 0;
}

}  // namespace

int run_inspect(const std::vector<std::string>& arguments) {
  const std::string usage =
      "usage: dietmt inspect params|model|positions|attention [options]\n\n"
      "  params      number of parameters of a model or configuration by component\n"
      "  model       configuration of a model\n"
      "  positions   the position encodings, and what those of a model do\n"
      "  attention   how a model looks at a sentence\n\n"
      "'dietmt inspect TOPIC --help' describes each.\n";
  if (!arguments.empty()) {
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (arguments[0] == "params") return inspect_params(rest);
    if (arguments[0] == "model") return inspect_model(rest);
    if (arguments[0] == "positions") return inspect_positions(rest);
    if (arguments[0] == "attention") return inspect_attention(rest);
    if (arguments[0] == "--help" || arguments[0] == "-h") {
      std::cout << usage;
      return 0;
    }
    throw ConfigError("'" + arguments[0] +
                      "' is not a topic of inspect; possible: params, model, positions, attention");
  }
  throw ConfigError("inspect needs a topic: params, model, positions or attention");
}

}  // namespace dietmt::tools
