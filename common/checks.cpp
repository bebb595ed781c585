#include "common/checks.h"

#include <algorithm>

namespace dietmt {

std::string setting_key(std::string key, const std::string& file) {
  if (!file.empty()) return key;
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

std::string setting_name(const std::string& key, const std::string& file) {
  return (file.empty() ? "" : file + ": ") + setting_key(key, file);
}

std::string settings_list(const Settings& settings, const std::string& file) {
  std::string list = file.empty() ? "" : file + ": ";
  for (size_t i = 0; i < settings.size(); ++i)
    list += (i > 0 ? ", " : "") + setting_key(settings[i].first, file) + " " + settings[i].second;
  return list;
}

void check_divisible(std::vector<std::string>& problems, const std::string& option, int64_t value,
                     const std::string& divisor_option, int64_t divisor) {
  if (value <= 0 || divisor <= 0 || value % divisor == 0) return;
  problems.push_back(option + " " + std::to_string(value) + " is not divisible by " +
                     divisor_option + " " + std::to_string(divisor));
}

std::string with_field_names(std::string problem) {
  for (size_t at = problem.find("--"); at != std::string::npos; at = problem.find("--", at)) {
    problem.erase(at, 2);
    for (size_t i = at; i < problem.size() && problem[i] != ' ' && problem[i] != ','; ++i) {
      if (problem[i] == '-') problem[i] = '_';
    }
  }
  return problem;
}

}  // namespace dietmt
