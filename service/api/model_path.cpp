#include "service/api/model_path.h"

namespace dietmt::service {

std::string path_name(const ModelPath& path) {
  std::string names;
  for (const ModelSpec* model : path) names += (names.empty() ? "" : "+") + model->name;
  return names;
}

ServedPath acquire(ModelRegistry& models, const ModelPath& path, const Patience& patience) {
  ServedPath served;
  served.reserve(path.size());
  for (const ModelSpec* spec : path)
    served.push_back(
        {models.acquire(spec->name, patience), {spec->source_tag, spec->source, spec->target}});
  return served;
}

}  // namespace dietmt::service
