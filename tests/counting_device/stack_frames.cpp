#include "tests/counting_device/stack_frames.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

namespace dietmt::counting {
namespace {

std::string demangled(const char* name) {
  int status = 0;
  char* const readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? readable : name;
  std::free(readable);
  return result;
}

/// Functions in anonymous namespaces are only in the program's own symbol table.
std::string name_by_addr2line(const Dl_info& library, const void* address) {
  const auto offset =
      reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(library.dli_fbase);
  const std::string command =
      fmt::format("addr2line -fCe '{}' {:#x} 2>&1", library.dli_fname, offset - 1);
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return {};
  char line[1024] = {};
  std::string name = std::fgets(line, sizeof line, output) == nullptr ? "" : line;
  while (std::fgets(line, sizeof line, output) != nullptr) continue;
  pclose(output);
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

std::string name_of(const void* address) {
  Dl_info info = {};
  if (dladdr(address, &info) == 0) return {};
  if (info.dli_sname != nullptr) return demangled(info.dli_sname);
  const std::string file = info.dli_fname;
  const bool of_libtorch = file.find("/lib") != std::string::npos;
  return of_libtorch ? std::string() : name_by_addr2line(info, address);
}

/// Without arguments and the common namespaces.
std::string short_name(std::string name) {
  for (const std::string part : {"dietmt::", "(anonymous namespace)::"})
    for (size_t at = name.find(part); at != std::string::npos; at = name.find(part))
      name.erase(at, part.size());
  return name.substr(0, name.find('('));
}

const std::string& cached_name(const void* address) {
  static std::mutex mutex;
  static std::map<const void*, std::string>& names = *new std::map<const void*, std::string>;
  const std::scoped_lock lock(mutex);
  const auto [found, is_new] = names.try_emplace(address);
  if (!is_new) return found->second;
  const std::string name = name_of(address);
  const size_t own = name.find("dietmt::");
  const size_t arguments = name.find('(');
  const bool is_dietmt = own == 0 || name.starts_with("non-virtual thunk to dietmt::") ||
                         (own != std::string::npos && own < arguments);
  if (is_dietmt && name.find("dietmt::counting::") == std::string::npos)
    found->second = short_name(name);
  return found->second;
}

}  // namespace

StackFrames StackFrames::here() {
  StackFrames frames;
  frames.count = backtrace(frames.addresses.data(), kMost);
  return frames;
}

std::string StackFrames::dietmt_functions(int most) const {
  std::string lines;
  std::string last;
  for (int i = 0; i < count && most > 0; ++i) {
    const std::string& name = cached_name(addresses[static_cast<size_t>(i)]);
    if (name.empty() || name == last) continue;
    lines += (lines.empty() ? "" : "\n") + name;
    last = name;
    --most;
  }
  return lines;
}

}  // namespace dietmt::counting
