#include "tools/unused_options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace dietmt::tools {

void refuse_unused(const OptionTable& table, std::initializer_list<const char*> names,
                   const std::string& needed, std::vector<std::string>& problems) {
  for (const char* name : names)
    if (table.changed(name)) problems.push_back(std::string("--") + name + " needs " + needed);
}

void warn_of_unused(const OptionTable& table, std::initializer_list<const char*> names,
                    const std::string& given) {
  for (const char* name : names)
    if (table.changed(name)) spdlog::warn("--{} has no effect with {}", name, given);
}

std::vector<std::string> ignored_by_tokenizer(const OptionTable& table, int64_t vocabulary_size,
                                              const std::string& tokenizer, int64_t pieces) {
  if (!table.given("vocab-size") || vocabulary_size == pieces) return {};
  return {fmt::format("--vocab-size {} is ignored: {} has {} pieces", vocabulary_size, tokenizer,
                      pieces)};
}

std::vector<std::string> ignored_without_training(const OptionTable& table,
                                                  std::initializer_list<const char*> names) {
  std::vector<std::string> found;
  for (const char* name : names)
    if (table.given(name))
      found.push_back(fmt::format("--{} is ignored: no tokenizer is trained", name));
  return found;
}

}  // namespace dietmt::tools
