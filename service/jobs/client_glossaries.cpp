#include "service/jobs/client_glossaries.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "data/text/language_codes.h"
#include "service/api/call.h"
#include "service/jobs/job_queue.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
namespace {

constexpr size_t kKeptTerms = 200'000;  // of the glossaries in memory

// Databases refuse some texts, which no glossary has as its id.
bool is_id(const std::string& text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

HttpError unknown(const std::string& id) {
  return {404, "Glossary not found: there is no glossary '" + id + "'"};
}

HttpError no_dictionary(const std::string& id, const std::string& source,
                        const std::string& target) {
  return {404,
          "Dictionary not found: the glossary '" + id + "' has none for " + source + "-" + target};
}

constexpr const char* kInfos =
    "SELECT g.id, g.name, g.created, d.source, d.target, d.terms FROM dietmt_glossaries g "
    "LEFT JOIN dietmt_dictionaries d ON d.glossary = g.id WHERE g.owner = $1 ";

std::vector<GlossaryInfo> infos_of(const SqlResult& found) {
  std::vector<GlossaryInfo> all;
  for (const SqlRow& row : found.rows) {
    if (all.empty() || all.back().id != row.text(0))
      all.push_back({row.text(0), row.text(1), row.integer(2), {}});
    if (!row.is_null(3))
      all.back().dictionaries.push_back({row.text(3), row.text(4), row.integer(5)});
  }
  return all;
}

// `executor`: a database or a connection.
template <class Executor>
GlossaryInfo info_of(Executor& executor, const std::string& owner, const std::string& id) {
  if (!is_id(id)) throw unknown(id);
  const std::vector<GlossaryInfo> found = infos_of(executor.execute(
      std::string(kInfos) + "AND g.id = $2 ORDER BY d.source, d.target", {owner, id}));
  if (found.empty()) throw unknown(id);
  return found.front();
}

struct StoredLines {
  std::string version;
  std::string lines;
};

template <class Executor>
std::optional<StoredLines> stored_lines(Executor& executor, const std::string& id,
                                        const std::string& source, const std::string& target) {
  const SqlResult found = executor.execute(
      "SELECT version, lines FROM dietmt_dictionaries "
      "WHERE glossary = $1 AND source = $2 AND target = $3",
      {id, source, target});
  if (found.rows.empty()) return std::nullopt;
  return StoredLines{found.rows[0].text(0), found.rows[0].text(1)};
}

void store(SqlConnection& connection, const std::string& id, const NewDictionary& dictionary) {
  const std::string lines = data::lines_of_terms(dictionary.terms);
  connection.execute(
      "INSERT INTO dietmt_dictionaries (glossary, source, target, version, terms, bytes, lines) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (glossary, source, target) DO UPDATE SET "
      "version = excluded.version, terms = excluded.terms, bytes = excluded.bytes, "
      "lines = excluded.lines",
      {id, dictionary.source, dictionary.target, random_id(), std::ssize(dictionary.terms),
       std::ssize(lines), SqlBytes{lines}});
}

// The stored terms, with those of `more` in the place of the ones with the same source or after
// them.
NewDictionary merged(const std::string& stored, const NewDictionary& more) {
  NewDictionary all{more.source, more.target, data::terms_of_lines(stored, "entries")};
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < all.terms.size(); ++i) places.emplace(all.terms[i].source, i);
  for (const data::GlossaryTerm& term : more.terms) {
    const auto found = places.find(term.source);
    if (found == places.end())
      all.terms.push_back(term);
    else
      all.terms[found->second] = term;
  }
  return all;
}

constexpr int kTooLarge = 413;
constexpr int kQuotaExceeded = 456;  // DeepL's

void check(int status, int64_t limit, int64_t value, const std::string& whose,
           const std::string& what) {
  if (value > limit)
    throw HttpError(status, whose + " would have " + std::to_string(value) + " " + what +
                                "; the limit is " + std::to_string(limit));
}

// Run in the transaction that has changed the glossary.
void check_limits(SqlConnection& connection, const std::string& owner, const std::string& id) {
  const SqlResult own = connection.execute(
      "SELECT COUNT(*), SUM(terms), SUM(bytes) FROM dietmt_dictionaries WHERE glossary = $1", {id});
  const SqlRow& sums = own.rows.at(0);
  check(kTooLarge, ClientGlossaries::kMostDictionaries, sums.integer(0), "the glossary",
        "dictionaries");
  check(kTooLarge, ClientGlossaries::kMostTerms, sums.integer(1), "the glossary", "terms");
  check(kTooLarge, ClientGlossaries::kMostTermBytes, sums.integer(2), "the glossary",
        "bytes of terms");
  const SqlResult all = connection.execute(
      "SELECT COUNT(DISTINCT g.id), SUM(d.bytes) FROM dietmt_glossaries g "
      "LEFT JOIN dietmt_dictionaries d ON d.glossary = g.id WHERE g.owner = $1",
      {owner});
  const std::string whose = owner.empty() ? "this server" : "this API key";
  check(kQuotaExceeded, ClientGlossaries::kMostGlossaries, all.rows.at(0).integer(0), whose,
        "glossaries");
  check(kQuotaExceeded, ClientGlossaries::kMostBytes, all.rows.at(0).integer(1), whose,
        "bytes of terms in its glossaries");
}

// Whether a dictionary for `tag` is one for the language `code` of a server: "pt" is for pt_BR, and
// "pt-br" for a server that only has pt.
bool is_for(const std::string& tag, const std::string& code) {
  std::string own = data::language_tag(code);
  std::ranges::transform(own, own.begin(), [](unsigned char c) { return std::tolower(c); });
  return own == tag || own.starts_with(tag + "-") || data::closest_code(tag, {code}) == code;
}

// What translates with glossaries does not know the database's exceptions.
template <class Work>
auto while_available(Work&& work) {
  try {
    return work();
  } catch (const DatabaseUnavailableError&) {
    constexpr int64_t kSeconds = 5;
    throw Unavailable("the glossaries are not available at the moment", kSeconds);
  }
}

}  // namespace

// In a transaction in which nobody else changes the owner's glossaries.
template <class Work>
auto ClientGlossaries::change(const std::string& owner, Work&& work) {
  return database_.transaction(
      [&](SqlConnection& connection) {
        const std::string& lock = database_.dialect().lock_name;
        if (!lock.empty()) connection.execute(lock, {owner});
        return work(connection);
      },
      Survives::kPowerCut);
}

GlossaryInfo ClientGlossaries::create(const std::string& owner, const std::string& name,
                                      const std::vector<NewDictionary>& dictionaries) {
  return change(owner, [&](SqlConnection& connection) {
    const std::string id = random_id();
    connection.execute(
        "INSERT INTO dietmt_glossaries (id, owner, name, created) "
        "VALUES ($1, $2, $3, dietmt_now())",
        {id, owner, name});
    for (const NewDictionary& one : dictionaries) store(connection, id, one);
    check_limits(connection, owner, id);
    return info_of(connection, owner, id);
  });
}

std::vector<GlossaryInfo> ClientGlossaries::list(const std::string& owner) {
  return while_available([&] {
    return infos_of(database_.execute(
        std::string(kInfos) + "ORDER BY g.created, g.id, d.source, d.target", {owner}));
  });
}

GlossaryInfo ClientGlossaries::info(const std::string& owner, const std::string& id) {
  return info_of(database_, owner, id);
}

std::string ClientGlossaries::lines(const std::string& owner, const std::string& id,
                                    const std::string& source, const std::string& target) {
  info_of(database_, owner, id);
  const auto found = stored_lines(database_, id, source, target);
  if (!found) throw no_dictionary(id, source, target);
  return found->lines;
}

GlossaryInfo ClientGlossaries::update(const std::string& owner, const std::string& id,
                                      const std::string& name,
                                      const std::vector<NewDictionary>& dictionaries) {
  return change(owner, [&](SqlConnection& connection) {
    info_of(connection, owner, id);
    if (!name.empty())
      connection.execute("UPDATE dietmt_glossaries SET name = $2 WHERE id = $1", {id, name});
    for (const NewDictionary& one : dictionaries) {
      const auto stored = stored_lines(connection, id, one.source, one.target);
      store(connection, id, stored ? merged(stored->lines, one) : one);
    }
    check_limits(connection, owner, id);
    return info_of(connection, owner, id);
  });
}

void ClientGlossaries::replace(const std::string& owner, const std::string& id,
                               const NewDictionary& dictionary) {
  change(owner, [&](SqlConnection& connection) {
    info_of(connection, owner, id);
    store(connection, id, dictionary);
    check_limits(connection, owner, id);
    return true;
  });
}

void ClientGlossaries::remove(const std::string& owner, const std::string& id) {
  change(owner, [&](SqlConnection& connection) {
    info_of(connection, owner, id);
    return connection.execute("DELETE FROM dietmt_glossaries WHERE id = $1", {id});
  });
}

void ClientGlossaries::remove_dictionary(const std::string& owner, const std::string& id,
                                         const std::string& source, const std::string& target) {
  change(owner, [&](SqlConnection& connection) {
    info_of(connection, owner, id);
    const SqlResult removed = connection.execute(
        "DELETE FROM dietmt_dictionaries WHERE glossary = $1 AND source = $2 AND target = $3",
        {id, source, target});
    if (removed.changed == 0) throw no_dictionary(id, source, target);
    return true;
  });
}

GlossaryStore::Found ClientGlossaries::find(const std::string& owner, const std::string& id,
                                            const std::string& source, const std::string& target) {
  if (!is_id(id)) return {};
  return while_available([&] { return find_in_database(owner, id, source, target); });
}

GlossaryStore::Found ClientGlossaries::find_in_database(const std::string& owner,
                                                        const std::string& id,
                                                        const std::string& source,
                                                        const std::string& target) {
  const SqlResult found = database_.execute(
      "SELECT d.source, d.target, d.version FROM dietmt_glossaries g "
      "LEFT JOIN dietmt_dictionaries d ON d.glossary = g.id WHERE g.id = $1 AND g.owner = $2 "
      "ORDER BY LENGTH(d.source) + LENGTH(d.target) DESC, d.source, d.target",
      {id, owner});
  if (found.rows.empty()) return {};
  for (const SqlRow& row : found.rows) {
    if (row.is_null(0) || !is_for(row.text(0), source) || !is_for(row.text(1), target)) continue;
    if (auto glossary = kept(row.text(2))) return {true, std::move(glossary)};
    const auto stored = stored_lines(database_, id, row.text(0), row.text(1));
    if (!stored) break;  // it has gone meanwhile
    auto glossary =
        std::make_shared<const data::Glossary>(data::terms_of_lines(stored->lines, "entries"));
    keep(stored->version, glossary);
    return {true, std::move(glossary)};
  }
  return {true, nullptr};
}

std::shared_ptr<const data::Glossary> ClientGlossaries::kept(const std::string& version) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, version, &ReadGlossary::first);
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return kept_.front().second;
}

void ClientGlossaries::keep(const std::string& version,
                            const std::shared_ptr<const data::Glossary>& glossary) {
  const std::lock_guard lock(mutex_);
  kept_.emplace_front(version, glossary);
  size_t terms = 0;
  for (auto at = kept_.begin(); at != kept_.end();) {
    terms += at->second->terms().size();
    at = terms > kKeptTerms && at != kept_.begin() ? kept_.erase(at) : std::next(at);
  }
}

}  // namespace dietmt::service
