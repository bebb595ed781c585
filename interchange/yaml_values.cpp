#include "interchange/yaml_values.h"

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/text_io.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

constexpr int64_t kMostNested = 20;
constexpr int64_t kMostValues = 100'000;

json scalar(const YAML::Node& node) {
  const std::string text = replace_invalid_utf8(node.Scalar());
  if (node.Tag() == "!") return text;  // in quotation marks
  const bool is_letter = text.size() == 1;
  bool flag = false;
  int64_t whole = 0;
  double real = 0;
  if (!is_letter && YAML::convert<bool>::decode(node, flag)) return flag;
  if (YAML::convert<int64_t>::decode(node, whole)) return whole;
  if (YAML::convert<double>::decode(node, real)) return real;
  return text;
}

class Conversion {
 public:
  json convert(const YAML::Node& node, int64_t depth) {
    if (depth > kMostNested || ++values_ > kMostValues)
      throw CheckpointError("has more values than the settings of a model");
    if (node.IsScalar()) return scalar(node);
    json made;
    if (node.IsSequence()) {
      made = json::array();
      for (const YAML::Node& item : node) made.push_back(convert(item, depth + 1));
    } else if (node.IsMap()) {
      made = json::object();
      for (const auto& field : node)
        if (field.first.IsScalar())
          made[replace_invalid_utf8(field.first.Scalar())] = convert(field.second, depth + 1);
    }
    return made;
  }

 private:
  int64_t values_ = 0;
};

}  // namespace

json read_yaml_values(const std::filesystem::path& file) {
  try {
    return Conversion().convert(YAML::Load(read_file(file)), 0);
  } catch (const YAML::Exception& error) {
    throw CheckpointError(file.string() + ": " + error.what());
  } catch (const CheckpointError& error) {
    throw CheckpointError(file.string() + ": " + error.what());
  }
}

}  // namespace dietmt::interchange
