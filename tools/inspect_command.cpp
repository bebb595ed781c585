// dietmt inspect: what a model is made of, and what its positions do.
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/options.h"
#include "nmt/model/model_directory.h"
#include "nmt/model/translation_model.h"
#include "tools/commands.h"
#include "tools/inspect_positions.h"
#include "tools/model_options.h"

namespace dietmt::tools {
namespace {

// "encoder.layer0.feed_forward.inner_weight" -> "encoder.layer0", but each position encoding is a
// component: "encoder.position.diet_rel.table" -> "encoder.position.diet_rel".
std::string component_of(const std::string& parameter) {
  const size_t first = parameter.find('.');
  if (first == std::string::npos) return parameter;
  size_t end = parameter.find('.', first + 1);
  const std::string part = parameter.substr(first + 1, end - first - 1);
  if (part == "position" || part == "cross_position") end = parameter.find('.', end + 1);
  return parameter.substr(0, end);
}

// "encoder.layer10" behind "encoder.layer9".
bool before(const std::string& a, const std::string& b) {
  const auto split = [](const std::string& name) {
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    return std::pair(name.substr(0, digits),
                     digits == name.size() ? -1 : std::stoll(name.substr(digits)));
  };
  return split(a) < split(b);
}

void print_parameters(const torch::nn::Module& model) {
  std::map<std::string, int64_t, decltype(&before)> counts(&before);
  int64_t total = 0;
  int64_t positions = 0;
  for (const auto& item : model.named_parameters()) {
    const std::string component = component_of(item.key());
    const int64_t count = item.value().numel();
    counts[component] += count;
    total += count;
    if (component.find("position.") != std::string::npos) positions += count;
  }
  for (const auto& [component, count] : counts) std::cout << component << '\t' << count << '\n';
  std::cout << "positions\t" << positions << '\n' << "total\t" << total << '\n';
}

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
    print_parameters(*nmt::load_model(directory).model);
    return 0;
  }
  apply_preset(table, options);
  if (print_position_help(options)) return 0;
  options.model.source_vocabulary = options.model.target_vocabulary = vocabulary;
  print_parameters(nmt::TranslationModel(options.model, 1));
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
      "  params      number of parameters of a model or configuration by component\n"
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
