#include "tools/output_problems.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "common/files.h"
#include "nmt/translation/line_writer.h"

namespace dietmt::tools {
namespace {

constexpr std::string_view kDocuments[] = {".docx", ".pptx", ".xlsx", ".odt",
                                           ".odp",  ".ods",  ".epub", ".pdf"};

}  // namespace

std::vector<std::string> output_problems(const std::string& output, const NamedFiles& inputs,
                                         const std::string& option) {
  std::vector<std::string> problems;
  const std::string ending = std::filesystem::path(output).extension().string();
  if (std::ranges::find(kDocuments, ending) != std::end(kDocuments))
    problems.push_back(option + " " + output + ": this command writes no " + ending +
                       " file; dietmt serve translates documents");
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
