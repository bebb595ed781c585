// dietmt inspect: what a model is made of, and what its positions do.
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/options.h"
#include "nmt/model/model_directory.h"
#include "tools/commands.h"
#include "tools/inspect_positions.h"

namespace dietmt::tools {
namespace {

// "encoder.layer0.feed_forward.inner_weight" -> "encoder.layer0".
std::string component_of(const std::string& parameter) {
  const size_t first = parameter.find('.');
  if (first == std::string::npos) return parameter;
  return parameter.substr(0, parameter.find('.', first + 1));
}

int inspect_params(const std::vector<std::string>& arguments) {
  std::string directory;
  OptionTable table("inspect params", "--model DIR",
                    "Counts the parameters of a model by component.");
  table.add("model", &directory, "DIR", "a model directory or the output of dietmt train");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  if (directory.empty()) throw ConfigError("--model is missing");
  const nmt::LoadedModel loaded = nmt::load_model(directory);
  std::map<std::string, int64_t> counts;
  int64_t total = 0;
  for (const auto& item : loaded.model->named_parameters()) {
    counts[component_of(item.key())] += item.value().numel();
    total += item.value().numel();
  }
  for (const auto& [component, count] : counts) std::cout << component << '\t' << count << '\n';
  std::cout << "total\t" << total << '\n';
  return 0;
}

int inspect_model(const std::vector<std::string>& arguments) {
  std::string directory;
  OptionTable table("inspect model", "--model DIR", "Prints the configuration of a model as JSON.");
  table.add("model", &directory, "DIR", "a model directory or the output of dietmt train");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  if (directory.empty()) throw ConfigError("--model is missing");
  std::cout << nmt::load_model(directory).model->config().to_json().dump(1) << '\n';
  return 0;
}

}  // namespace

int run_inspect(const std::vector<std::string>& arguments) {
  const std::string usage =
      "usage: dietmt inspect params|model|positions [options]\n\n"
      "  params      number of parameters by component\n"
      "  model       configuration of a model\n"
      "  positions   the position encodings, and what those of a model do\n\n"
      "'dietmt inspect TOPIC --help' describes each.\n";
  if (!arguments.empty()) {
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (arguments[0] == "params") return inspect_params(rest);
    if (arguments[0] == "model") return inspect_model(rest);
    if (arguments[0] == "positions") return inspect_positions(rest);
    if (arguments[0] == "--help" || arguments[0] == "-h") {
      std::cout << usage;
      return 0;
    }
    throw ConfigError("'" + arguments[0] +
                      "' is not a topic of inspect; possible: params, model, positions");
  }
  throw ConfigError("inspect needs a topic: params, model or positions");
}

}  // namespace dietmt::tools
