#include "service/api/decoding_fields.h"

#include <algorithm>
#include <limits>

namespace dietmt::service {
namespace {

// "--top-k must not ..." as the API names it: top_k.
std::string with_field_names(std::string problem) {
  for (size_t at = problem.find("--"); at != std::string::npos; at = problem.find("--", at)) {
    problem.erase(at, 2);
    for (size_t i = at; i < problem.size() && problem[i] != ' ' && problem[i] != ','; ++i) {
      if (problem[i] == '-') problem[i] = '_';
    }
  }
  return problem;
}

}  // namespace

const std::vector<std::string_view>& decoding_field_names() {
  static const std::vector<std::string_view> names = {"beam",
                                                      "nbest",
                                                      "length_penalty",
                                                      "length_norm",
                                                      "max_length_factor",
                                                      "max_length_offset",
                                                      "min_length",
                                                      "max_source_length",
                                                      "sample",
                                                      "top_k",
                                                      "top_p",
                                                      "temperature",
                                                      "seed"};
  return names;
}

nmt::SearchOptions search_options(const Fields& fields, const ServiceLimits& limits) {
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  nmt::SearchOptions options;
  options.beam = fields.integer_or("beam", std::min(options.beam, limits.beam), 1, limits.beam);
  options.nbest = fields.integer_or("nbest", options.nbest, 1, limits.beam);
  options.length_penalty = fields.number_or("length_penalty", options.length_penalty);
  options.max_length_factor = fields.number_or("max_length_factor", options.max_length_factor);
  options.max_length_offset =
      fields.integer_or("max_length_offset", options.max_length_offset, 1, limits.length_offset);
  options.min_length = fields.integer_or("min_length", 0, 0, limits.length_offset);
  options.max_source_length =
      fields.integer_or("max_source_length", options.max_source_length, 2, kAny);
  options.sample = fields.flag_or("sample", false);
  options.top_k = fields.integer_or("top_k", 0, 0, kAny);
  options.top_p = fields.number_or("top_p", 1.0);
  options.temperature = fields.number_or("temperature", 1.0);
  options.seed = static_cast<uint64_t>(fields.integer_or("seed", 1, 0, kAny));
  const std::string norm = fields.text_or("length_norm", "power");
  if (norm != "power" && norm != "gnmt")
    throw HttpError::of_option("length_norm", "length_norm must be power or gnmt");
  options.length_norm = nmt::parse_length_norm(norm);
  if (options.max_length_factor > limits.length_factor)
    throw HttpError::of_option("max_length_factor", "max_length_factor is too large");

  const std::vector<std::string> problems = options.problems();
  if (problems.empty()) return options;
  const std::string problem = with_field_names(problems.front());
  throw HttpError::of_option(problem.substr(0, problem.find_first_of(" ,")), problem);
}

}  // namespace dietmt::service
