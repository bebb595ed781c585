#include "tools/output_problems.h"

#include "common/files.h"
#include "nmt/translation/line_writer.h"

namespace dietmt::tools {

std::vector<std::string> output_problems(const std::string& output, const NamedFiles& inputs,
                                         const std::string& option) {
  std::vector<std::string> problems;
  if (output.empty() || !nmt::is_file_output(output)) return problems;
  for (const auto& [input, file] : inputs)
    if (!file.empty() && file != "-" && is_same_file(file, output))
      problems.push_back(option + " and " + input + " are one file: " + file);
  return problems;
}

std::vector<std::string> file_output_problems(const std::string& output, const NamedFiles& inputs,
                                              const std::string& option) {
  if (output == "-") return {option + " is -; this command needs the name of a file"};
  return output_problems(output, inputs, option);
}

}  // namespace dietmt::tools
