// The models that translate a pair of languages: one, or two by way of a pivot language.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "service/scheduling/model_registry.h"
#include "service/scheduling/model_spec.h"

namespace dietmt::service {

/// Models in the order in which a text goes through them; each translates into the source language
/// of the next. Points into the list of models that it was found in.
using ModelPath = std::vector<const ModelSpec*>;

/// Names joined by `+`, as a request's field `model` gives them: pt-en+en-de.
std::string path_name(const ModelPath& path);

using ServedPath = std::vector<std::shared_ptr<ServedModel>>;

/// Loads what is not loaded. Throws the exceptions of ModelRegistry::acquire().
ServedPath acquire(ModelRegistry& models, const ModelPath& path, const Patience& patience);

}  // namespace dietmt::service
