// The glossaries of a server, which requests refer to by name, and those sent with requests.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "data/text/glossary.h"
#include "service/api/fields.h"
#include "service/api/glossary_store.h"
#include "service/api/model_path.h"

namespace dietmt::service {

/// Limit on terms sent with a request.
constexpr size_t kMaxRequestTerms = 1000;

struct NamedGlossary {
  std::string name;
  std::string source, target;  // the languages that it is for; both empty: any
  std::shared_ptr<const data::Glossary> glossary;
};

/// A request names a glossary that does not exist, or that is another client's.
class NoSuchGlossaryError : public HttpError {
 public:
  explicit NoSuchGlossaryError(const HttpError& error) : HttpError(error) {}
};

/// Thread-safe.
class Glossaries {
 public:
  Glossaries() = default;

  /// Reads NAME.SRC-TGT.tsv and NAME.tsv, the latter for all languages (data::Glossary::read), and
  /// ignores other files. Throws DataError naming file and line, or the directory.
  explicit Glossaries(std::filesystem::path directory);

  /// The server's, sorted by name, languages last.
  std::vector<NamedGlossary> all() const;

  /// Those that a client has made.
  std::vector<GlossaryInfo> of_client(const std::string& owner) const {
    return store_ == nullptr ? std::vector<GlossaryInfo>() : store_->list(owner);
  }

  /// Reads the files again. Throws DataError, and keeps the old glossaries.
  void reload();

  /// Adds those that clients make. Call it before there are requests.
  void set_store(GlossaryStore& store) { store_ = &store; }

  /// The glossary in the field `glossary`: a stored one by name, preferring the one for the path's
  /// languages to the one for all; one that the owner of the request has made, by its id; or one
  /// sent with the request as an object of target terms by source term. Null if there is no such
  /// field. Throws HttpError 400, also for search options that do not work with glossaries.
  std::shared_ptr<const data::Glossary> of_request(const Fields& fields, const std::string& owner,
                                                   const ModelPath& path,
                                                   const nmt::SearchOptions& search) const;

  /// One by name or id, as of_request().
  std::shared_ptr<const data::Glossary> named(const std::string& name, const std::string& owner,
                                              const ModelPath& path,
                                              const nmt::SearchOptions& search) const;

 private:
  GlossaryStore::Found find(const std::string& name, const std::string& source,
                            const std::string& target) const;

  GlossaryStore* store_ = nullptr;
  std::filesystem::path directory_;  // empty: none
  mutable std::mutex mutex_;
  std::vector<NamedGlossary> all_;
};

}  // namespace dietmt::service
