#include "common/field_names.h"

namespace dietmt {

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
