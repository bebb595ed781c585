#include "data/corpus/parallel_reader.h"

#include <algorithm>
#include <iterator>

#include "common/error.h"
#include "common/numbers.h"
#include "common/process.h"
#include "common/trimmed.h"

namespace dietmt::data {

ParallelReader::ParallelReader(const CorpusFiles& files)
    : files_(files),
      source_(files.source),
      target_(files.target),
      source_utf8_(files.invalid_utf8),
      target_utf8_(files.invalid_utf8) {
  if (!files.weights.empty()) weights_.emplace(files.weights);
}

std::optional<TextPairs> ParallelReader::next() {
  constexpr size_t kChunkPairs = 4096;
  constexpr size_t kChunkBytes = 1 << 20;
  TextPairs chunk;
  size_t bytes = 0;
  std::string source, target;
  while (chunk.sources.size() < kChunkPairs && bytes < kChunkBytes && next_pair(source, target)) {
    bytes += source.size() + target.size();
    chunk.sources.push_back(source);
    chunk.targets.push_back(target);
    if (weights_) chunk.weights.push_back(next_weight());
  }
  if (chunk.sources.empty()) return std::nullopt;
  return chunk;
}

void ParallelReader::report() const {
  source_utf8_.report(files_.source);
  target_utf8_.report(files_.target);
}

bool ParallelReader::next_pair(std::string& source, std::string& target) {
  const bool has_source = source_.next(source);
  const bool has_target = target_.next(target);
  if (has_source != has_target)
    refuse_unequal(files_.source, source_, files_.target, target_, has_source);
  if (!has_source) {
    if (std::string line; weights_ && weights_->next(line))
      refuse_unequal(files_.source, source_, files_.weights, *weights_, false);
    return false;
  }
  const bool good_source = source_utf8_.admit(source_, source);
  const bool good_target = target_utf8_.admit(target_, target);
  if (!good_source || !good_target) {
    source.clear();
    target.clear();
    ++skipped_;
    return true;
  }
  warn_if_cut(source_, source);
  warn_if_cut(target_, target);
  return true;
}

float ParallelReader::next_weight() {
  std::string line;
  if (!weights_->next(line))
    refuse_unequal(files_.source, source_, files_.weights, *weights_, true);
  const std::string_view text = trimmed(line, " \t\r");
  const double weight = number_in<double>(text).value_or(-1.0);
  if (weight >= 0.0 && weight <= kHeaviest) return static_cast<float>(weight);
  constexpr size_t kShown = 40;
  throw DataError(weights_->where() + ": '" + std::string(text.substr(0, kShown)) +
                  "' is no weight of a pair: give a number from 0 to 1000000");
}

void refuse_unequal(const std::string& source_name, LineReader& source,
                    const std::string& target_name, LineReader& target, bool source_is_longer) {
  LineReader& longer = source_is_longer ? source : target;
  const std::string where = longer.where();
  for (std::string line; longer.next(line);) {
  }
  throw DataError(where + ": this line has no counterpart: " + source_name + " has " +
                  std::to_string(source.line_number()) + " lines, " + target_name + " has " +
                  std::to_string(target.line_number()));
}

void check_parallel_text(const CorpusFiles& files) {
  ParallelReader reader(files);
  while (reader.next()) throw_if_stop_requested();
}

TextPairs read_parallel_text(const CorpusFiles& files) {
  ParallelReader reader(files);
  TextPairs all;
  while (std::optional<TextPairs> chunk = reader.next()) {
    std::ranges::move(chunk->sources, std::back_inserter(all.sources));
    std::ranges::move(chunk->targets, std::back_inserter(all.targets));
    std::ranges::copy(chunk->weights, std::back_inserter(all.weights));
  }
  return all;
}

std::vector<CorpusFiles> corpus_files(const std::vector<std::string>& sources,
                                      const std::vector<std::string>& targets) {
  if (sources.size() != targets.size() || sources.empty()) {
    throw ConfigError(std::to_string(sources.size()) + " source files and " +
                      std::to_string(targets.size()) +
                      " target files: give the same number of both, at least one");
  }
  std::vector<CorpusFiles> files;
  for (size_t i = 0; i < sources.size(); ++i) files.push_back({sources[i], targets[i]});
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
