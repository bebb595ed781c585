// An output that would replace one of the files it is made from, or that must not be stdout.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dietmt::tools {

/// Options with their files. An empty name and `-` are no files.
using NamedFiles = std::vector<std::pair<std::string, std::string>>;

/// The problem of each input that is the same file as that of `option`, and of an output that is
/// named as an office document, a book or a PDF.
std::vector<std::string> output_problems(const std::string& output, const NamedFiles& inputs,
                                         const std::string& option = "--output");

/// output_problems(), and the problem of `-` as output, for commands that cannot write to stdout.
std::vector<std::string> file_output_problems(const std::string& output, const NamedFiles& inputs,
                                              const std::string& option = "--output");

}  // namespace dietmt::tools
