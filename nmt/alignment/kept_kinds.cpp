#include "nmt/alignment/kept_kinds.h"

#include <array>
#include <utility>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

constexpr std::array<std::pair<std::string_view, Kept>, 11> kNames = {{
    {"placeholders", Kept::kPlaceholders},
    {"tags", Kept::kTags},
    {"addresses", Kept::kAddresses},
    {"paths", Kept::kPaths},
    {"mentions", Kept::kMentions},
    {"code", Kept::kCode},
    {"markdown", Kept::kMarkdown},
    {"bbcode", Kept::kBbcode},
    {"mnemonics", Kept::kMnemonics},
    {"symbols", Kept::kSymbols},
    {"unknown", Kept::kUnknown},
}};

static_assert(KeptKinds::all().bits() == (1U << kNames.size()) - 1);

KeptKinds kind_from(std::string_view name) {
  for (const auto& [known, kind] : kNames)
    if (known == name) return kind;
  throw ConfigError("'" + std::string(name) +
                    "' is no kind of text to keep; possible: plain, all, none, " +
                    kept_kind_names());
}

}  // namespace

KeptKinds kept_kinds_from(std::string_view names) {
  if (names == "plain") return KeptKinds::plain();
  if (names == "all") return KeptKinds::all();
  if (names == "none") return {};
  KeptKinds kinds;
  while (true) {
    const size_t comma = names.find(',');
    kinds = kinds | kind_from(names.substr(0, comma));
    if (comma == std::string_view::npos) return kinds;
    names.remove_prefix(comma + 1);
  }
}

std::string kept_kind_names() {
  std::string names;
  for (const auto& [name, kind] : kNames) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

}  // namespace dietmt::nmt
