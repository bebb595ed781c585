// The languages of the corpora of `dietmt train`, and the tags that their texts get from them.
#include <algorithm>
#include <set>

#include "data/text/language_codes.h"
#include "tools/corpus_options.h"

namespace dietmt::tools {
namespace {

// One value is for all corpora.
std::string of_corpus(const std::vector<std::string>& values, size_t corpus) {
  if (values.empty()) return "";
  return values.size() == 1 ? values.front() : values.at(corpus);
}

std::string given_tag(const std::vector<std::string>& tags, size_t corpus) {
  return tags.empty() || tags.at(corpus) == "-" ? "" : tags.at(corpus);
}

std::vector<data::CorpusFiles> tagged(std::vector<data::CorpusFiles> files,
                                      const std::vector<nmt::LanguageChoice>& choices,
                                      const nmt::ModelLanguages& languages,
                                      const CorpusOptions& options) {
  for (size_t i = 0; i < files.size(); ++i) {
    const nmt::LanguageTags tags = languages.tags(choices[i]);
    files[i].source_tag = tags.source;
    files[i].target_tag = tags.target;
    files[i].invalid_utf8 = options.utf8_choice();
    files[i].allows_unknown = options.allows_unknown;
  }
  return files;
}

std::vector<nmt::LanguageChoice> choices_of(size_t corpora, const std::vector<std::string>& tags,
                                            const std::vector<std::string>& sources,
                                            const std::vector<std::string>& targets) {
  std::vector<nmt::LanguageChoice> choices;
  for (size_t i = 0; i < corpora; ++i)
    choices.push_back({given_tag(tags, i), of_corpus(sources, i), of_corpus(targets, i)});
  return choices;
}

}  // namespace

nmt::ModelLanguages CorpusOptions::new_languages() const {
  nmt::ModelLanguages languages;
  for (const std::string& code : std::set(target_languages.begin(), target_languages.end()))
    languages.add(code, "<2" + data::canonical_code(code) + ">");
  languages.target_before_source = !languages.empty();
  return languages;
}

std::vector<data::CorpusFiles> CorpusOptions::train_files(
    const nmt::ModelLanguages& languages) const {
  std::vector<data::CorpusFiles> files = data::corpus_files(train_source, train_target);
  for (size_t i = 0; i < std::min(files.size(), train_weights.size()); ++i)
    if (train_weights[i] != "-") files[i].weights = train_weights[i];
  return tagged(std::move(files),
                choices_of(train_source.size(), source_tags, source_languages, target_languages),
                languages, *this);
}

std::pair<const std::vector<std::string>&, const std::vector<std::string>&>
CorpusOptions::valid_language_names() const {
  return {valid_source_languages.empty() ? source_languages : valid_source_languages,
          valid_target_languages.empty() ? target_languages : valid_target_languages};
}

std::vector<nmt::LanguageChoice> CorpusOptions::valid_choices() const {
  const auto [sources, targets] = valid_language_names();
  return choices_of(valid_source.size(), valid_source_tags, sources, targets);
}

std::vector<data::CorpusFiles> CorpusOptions::valid_files(
    const nmt::ModelLanguages& languages) const {
  return tagged(data::corpus_files(valid_source, valid_target), valid_choices(), languages, *this);
}

std::vector<std::string> CorpusOptions::tags(const nmt::ModelLanguages& languages) const {
  std::set<std::string> tags;
  if (train_source.empty() || valid_source.empty()) return {};  // the option table says so
  for (const auto& all : {train_files(languages), valid_files(languages)})
    for (const data::CorpusFiles& files : all) tags.insert({files.source_tag, files.target_tag});
  tags.erase("");
  return {tags.begin(), tags.end()};
}

}  // namespace dietmt::tools
