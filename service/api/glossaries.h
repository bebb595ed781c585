// The glossaries of a server, which requests refer to by name, and those sent with requests.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "data/text/glossary.h"
#include "service/api/fields.h"
#include "service/api/model_path.h"

namespace dietmt::service {

/// Limit on terms sent with a request.
constexpr size_t kMaxRequestTerms = 1000;

struct NamedGlossary {
  std::string name;
  std::string source, target;  // the languages that it is for; both empty: any
  std::shared_ptr<const data::Glossary> glossary;
};

/// Thread-safe.
class Glossaries {
 public:
  Glossaries() = default;

  /// Reads NAME.SRC-TGT.tsv and NAME.tsv, the latter for all languages (data::Glossary::read), and
  /// ignores other files. Throws DataError naming file and line, or the directory.
  explicit Glossaries(std::filesystem::path directory);

  /// Sorted by name, languages last.
  std::vector<NamedGlossary> all() const;

  /// Reads the files again. Throws DataError, and keeps the old glossaries.
  void reload();

  /// The glossary in the field `glossary`: a stored one by name, preferring the one for the path's
  /// languages to the one for all, or one sent with the request as an object of target terms by
  /// source term. Null if there is no such field. Throws HttpError 400, also for search options
  /// that do not work with glossaries.
  std::shared_ptr<const data::Glossary> of_request(const Fields& fields, const ModelPath& path,
                                                   const nmt::SearchOptions& search) const;

  /// A stored one by name, as of_request().
  std::shared_ptr<const data::Glossary> named(const std::string& name, const ModelPath& path,
                                              const nmt::SearchOptions& search) const;

 private:
  std::shared_ptr<const data::Glossary> find(const std::string& name, const std::string& source,
                                             const std::string& target) const;

  std::filesystem::path directory_;  // empty: none
  mutable std::mutex mutex_;
  std::vector<NamedGlossary> all_;
};

}  // namespace dietmt::service
