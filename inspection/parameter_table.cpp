#include "inspection/parameter_table.h"

#include <map>
#include <regex>

namespace dietmt::inspection {
namespace {

// "encoder.layer0.feed_forward.inner_weight" -> "encoder.layer0", and each position encoding:
// "encoder.position.diet_rel.table" -> "encoder.position.diet_rel". Of others the first two names.
std::string component_of(const std::string& parameter) {
  static const std::regex layer_or_position(R"(.*?\b(layer\d+|(cross_)?position\.\w+))");
  static const std::regex two_names(R"([^.]*(\.[^.]*)?)");
  std::smatch found;
  const bool known = std::regex_search(parameter, found, layer_or_position);
  if (!known) std::regex_search(parameter, found, two_names);
  return found.str();
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

}  // namespace

std::string parameter_table(const torch::nn::Module& model) {
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
  std::string table;
  for (const auto& [component, count] : counts)
    table += component + '\t' + std::to_string(count) + '\n';
  return table + "positions\t" + std::to_string(positions) + "\ntotal\t" + std::to_string(total) +
         '\n';
}

}  // namespace dietmt::inspection
