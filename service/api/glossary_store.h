// The glossaries that clients have made, for those who translate with them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/text/glossary.h"

namespace dietmt::service {

/// A glossary for a pair of languages, whose tags are in lower case: "pt-br".
struct DictionaryInfo {
  std::string source;
  std::string target;
  int64_t terms = 0;
};

/// Dictionaries under one name.
struct GlossaryInfo {
  std::string id;
  std::string name;
  int64_t created = 0;  // microseconds since 1970
  std::vector<DictionaryInfo> dictionaries;
};

class GlossaryStore {
 public:
  virtual ~GlossaryStore() = default;

  struct Found {
    bool is_known = false;                           // the owner has a glossary with this id
    std::shared_ptr<const data::Glossary> glossary;  // null: not for these languages
  };
  /// Oldest first.
  virtual std::vector<GlossaryInfo> list(const std::string& owner) = 0;

  /// `source` and `target`: language codes of a server.
  virtual Found find(const std::string& owner, const std::string& id, const std::string& source,
                     const std::string& target) = 0;
};

}  // namespace dietmt::service
