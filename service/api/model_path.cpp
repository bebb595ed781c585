#include "service/api/model_path.h"

namespace dietmt::service {

std::string path_name(const ModelPath& path) {
  std::string names;
  for (const ModelSpec* model : path) names += (names.empty() ? "" : "+") + model->name;
  return names;
}

ServedPath acquire(ModelRegistry& models, const ModelPath& path, const Patience& patience) {
  std::vector<std::string> names;
  for (const ModelSpec* spec : path) names.push_back(spec->name);
  std::vector<std::shared_ptr<ServedModel>> models_of_path = models.acquire(names, patience);
  ServedPath served;
  for (size_t i = 0; i < path.size(); ++i)
    served.push_back(
        {std::move(models_of_path[i]), {path[i]->source_tag, path[i]->source, path[i]->target}});
  return served;
}

}  // namespace dietmt::service
