// The models that translate a language pair: one, or two through a pivot language.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nmt/model/languages.h"
#include "service/scheduling/model_registry.h"
#include "service/scheduling/model_spec.h"

namespace dietmt::service {

/// Models in the order of translation; each translates into the next one's source language. Points
/// into the list of models that it was found in.
using ModelPath = std::vector<const ModelSpec*>;

/// Names joined by `+`, as in a request's field `model`: pt-en+en-de.
std::string path_name(const ModelPath& path);

/// A model of a path, and what it is told of the languages between which it translates there.
struct ServedStep {
  std::shared_ptr<ServedModel> model;
  nmt::LanguageChoice languages = {};
};

using ServedPath = std::vector<ServedStep>;

/// Loads models that are not loaded. Throws the exceptions of ModelRegistry::acquire().
ServedPath acquire(ModelRegistry& models, const ModelPath& path, const Patience& patience);

}  // namespace dietmt::service
