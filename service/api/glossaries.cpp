#include "service/api/glossaries.h"

#include <algorithm>
#include <regex>
#include <tuple>

#include "common/checks.h"
#include "common/error.h"
#include "nmt/translation/term_encoder.h"

namespace dietmt::service {
namespace {

namespace fs = std::filesystem;

HttpError wrong(const std::string& problem) { return HttpError::of_option("glossary", problem); }

// NAME or NAME.SRC-TGT.
NamedGlossary read(const fs::path& file) {
  NamedGlossary read;
  read.name = file.stem().string();
  const size_t dot = read.name.rfind('.');
  const size_t hyphen = read.name.find('-', dot == std::string::npos ? read.name.size() : dot);
  static const std::regex pair("[a-z]{2,3}(_[A-Za-z0-9]{2,4})*-[a-z]{2,3}(_[A-Za-z0-9]{2,4})*");
  if (hyphen != std::string::npos && std::regex_match(read.name.substr(dot + 1), pair)) {
    read.source = read.name.substr(dot + 1, hyphen - dot - 1);
    read.target = read.name.substr(hyphen + 1);
    read.name.resize(dot);
  }
  read.glossary = std::make_shared<const data::Glossary>(data::Glossary::read(file.string()));
  return read;
}

std::vector<NamedGlossary> read_all(const fs::path& directory) {
  std::vector<NamedGlossary> all;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".tsv") all.push_back(read(at->path()));
  if (error) throw DataError(directory.string() + ": cannot be read: " + error.message());
  std::ranges::sort(all, [](const NamedGlossary& a, const NamedGlossary& b) {
    return std::tie(a.name, a.source, a.target) < std::tie(b.name, b.source, b.target);
  });
  return all;
}

std::shared_ptr<const data::Glossary> of_terms(
    const std::vector<std::pair<std::string, std::string>>& entries) {
  if (entries.size() > kMaxRequestTerms)
    throw wrong("glossary has " + std::to_string(entries.size()) + " terms; the limit is " +
                std::to_string(kMaxRequestTerms));
  try {
    std::vector<data::GlossaryTerm> terms;
    for (const auto& [source, target] : entries)
      terms.push_back(data::glossary_term(source, target));
    return std::make_shared<const data::Glossary>(std::move(terms));
  } catch (const DataError& error) {
    throw wrong(std::string("glossary: ") + error.what());
  }
}

void check_search(const nmt::SearchOptions& search) {
  const std::string problem = nmt::glossary_problem(search);
  if (!problem.empty()) throw wrong(with_field_names(problem));
}

}  // namespace

Glossaries::Glossaries(fs::path directory)
    : directory_(std::move(directory)), all_(read_all(directory_)) {}

std::vector<NamedGlossary> Glossaries::all() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

void Glossaries::reload() {
  if (directory_.empty()) return;
  std::vector<NamedGlossary> all = read_all(directory_);
  const std::lock_guard lock(mutex_);
  all_.swap(all);
}

std::shared_ptr<const data::Glossary> Glossaries::of_request(
    const Fields& fields, const std::string& owner, const ModelPath& path,
    const nmt::SearchOptions& search) const {
  if (!fields.has("glossary")) return nullptr;
  if (!fields.is_object("glossary")) return named(fields.text("glossary"), owner, path, search);
  check_search(search);
  return of_terms(fields.text_members("glossary"));
}

std::shared_ptr<const data::Glossary> Glossaries::named(const std::string& name,
                                                        const std::string& owner,
                                                        const ModelPath& path,
                                                        const nmt::SearchOptions& search) const {
  check_search(search);
  const std::string &source = path.front()->source, &target = path.back()->target;
  GlossaryStore::Found found = find(name, source, target);
  if (!found.is_known && store_ != nullptr) found = store_->find(owner, name, source, target);
  if (!found.is_known)
    throw NoSuchGlossaryError(
        wrong("there is no glossary '" + name + "'; /v1/glossaries lists them"));
  if (!found.glossary) throw wrong("glossary '" + name + "' is not for " + source + "-" + target);
  return found.glossary;
}

// One of the server's.
GlossaryStore::Found Glossaries::find(const std::string& name, const std::string& source,
                                      const std::string& target) const {
  const std::lock_guard lock(mutex_);
  GlossaryStore::Found found;
  for (const NamedGlossary& one : all_) {
    if (one.name != name) continue;
    found.is_known = true;
    const bool is_of_pair = one.source == source && one.target == target;
    if (is_of_pair || one.source.empty()) found.glossary = one.glossary;
    if (is_of_pair) break;
  }
  return found;
}

}  // namespace dietmt::service
