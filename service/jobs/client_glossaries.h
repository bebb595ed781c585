// Glossaries that clients make, in the database of the batch jobs. A glossary belongs to an owner,
// the name of an API key, and nobody else sees it. Thread-safe.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/text/glossary_terms.h"
#include "service/api/glossary_store.h"
#include "service/jobs/sql_database.h"

namespace dietmt::service {

/// The terms for a pair of languages, whose tags are in lower case.
struct NewDictionary {
  std::string source;
  std::string target;
  std::vector<data::GlossaryTerm> terms;
};

/// All throw HttpError: 404 if the owner has no such glossary or dictionary, 413 if a glossary and
/// 456 if the owner would exceed a limit. Also the exceptions of SqlDatabase; list() and find()
/// throw Unavailable for DatabaseUnavailableError. A change happens as a whole or not at all.
class ClientGlossaries final : public GlossaryStore {
 public:
  static constexpr int64_t kMostGlossaries = 1000;              // of an owner
  static constexpr int64_t kMostBytes = int64_t{100} << 20;     // of terms of an owner
  static constexpr int64_t kMostTerms = 100'000;                // of a glossary
  static constexpr int64_t kMostDictionaries = 200;             // of a glossary
  static constexpr int64_t kMostTermBytes = int64_t{10} << 20;  // of a glossary

  explicit ClientGlossaries(SqlDatabase& database) : database_(database) {}

  GlossaryInfo create(const std::string& owner, const std::string& name,
                      const std::vector<NewDictionary>& dictionaries);

  std::vector<GlossaryInfo> list(const std::string& owner) override;
  GlossaryInfo info(const std::string& owner, const std::string& id);

  /// The terms of a dictionary as lines (data::lines_of_terms).
  std::string lines(const std::string& owner, const std::string& id, const std::string& source,
                    const std::string& target);

  /// `name` empty: it keeps its name. The terms replace those with the same source, and others are
  /// added.
  GlossaryInfo update(const std::string& owner, const std::string& id, const std::string& name,
                      const std::vector<NewDictionary>& dictionaries);

  /// Gives the glossary this dictionary, instead of the one for the same languages if it has one.
  void replace(const std::string& owner, const std::string& id, const NewDictionary& dictionary);

  void remove(const std::string& owner, const std::string& id);
  void remove_dictionary(const std::string& owner, const std::string& id, const std::string& source,
                         const std::string& target);

  Found find(const std::string& owner, const std::string& id, const std::string& source,
             const std::string& target) override;

 private:
  using ReadGlossary = std::pair<std::string, std::shared_ptr<const data::Glossary>>;

  template <class Work>
  auto change(const std::string& owner, Work&& work);
  Found find_in_database(const std::string& owner, const std::string& id, const std::string& source,
                         const std::string& target);
  std::shared_ptr<const data::Glossary> kept(const std::string& version);
  void keep(const std::string& version, const std::shared_ptr<const data::Glossary>& glossary);

  SqlDatabase& database_;
  std::mutex mutex_;
  std::list<ReadGlossary> kept_;  // in memory, by version, the last used first
};

}  // namespace dietmt::service
