#include "data/corpus/corpus_files.h"

#include "common/error.h"

namespace dietmt::data {

std::vector<CorpusFiles> corpus_files(const std::vector<std::string>& sources,
                                      const std::vector<std::string>& targets,
                                      const std::vector<std::string>& source_tags) {
  if (sources.size() != targets.size() || sources.empty()) {
    throw ConfigError(std::to_string(sources.size()) + " source files and " +
                      std::to_string(targets.size()) +
                      " target files: give the same number of both, at least one");
  }
  if (!source_tags.empty() && source_tags.size() != sources.size()) {
    throw ConfigError(std::to_string(source_tags.size()) + " source tags for " +
                      std::to_string(sources.size()) + " source files: give one for each");
  }
  std::vector<CorpusFiles> files;
  for (size_t i = 0; i < sources.size(); ++i)
    files.push_back({sources[i], targets[i], source_tags.empty() ? "" : source_tags[i]});
  return files;
}

CorpusReport& CorpusReport::operator+=(const CorpusReport& other) {
  for (const auto field : {&CorpusReport::lines, &CorpusReport::kept, &CorpusReport::empty,
                           &CorpusReport::too_short, &CorpusReport::too_long, &CorpusReport::ratio,
                           &CorpusReport::source_tokens, &CorpusReport::target_tokens})
    this->*field += other.*field;
  return *this;
}

std::string CorpusReport::summary() const {
  std::string text = "kept " + std::to_string(kept) + " of " + std::to_string(lines) + " pairs";
  std::string dropped;
  const auto mention = [&](int64_t count, const char* what) {
    if (count > 0) dropped += (dropped.empty() ? "" : ", ") + std::to_string(count) + ' ' + what;
  };
  mention(not_utf8(), "not UTF-8");
  mention(empty, "with an empty side");
  mention(too_short, "too short");
  mention(too_long, "too long");
  mention(ratio, "of too unequal lengths");
  if (!dropped.empty()) text += " (dropped " + dropped + ")";
  return text + ", " + std::to_string(source_tokens) + " source and " +
         std::to_string(target_tokens) + " target tokens";
}

}  // namespace dietmt::data
