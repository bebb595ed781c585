#include "data/parallel_corpus.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "common/error.h"
#include "common/text_io.h"
#include "data/corpus_cache.h"
#include "data/corpus_encoding.h"

namespace dietmt::data {
namespace fs = std::filesystem;

namespace {

constexpr uint64_t kEncodingVersion = 1;  // raised when the same input would give other ids

// Text that names all that the encoded corpus depends on, or nothing if an input can be read only
// once.
std::string fingerprint_of(const std::vector<std::string>& source_files,
                           const std::vector<std::string>& target_files, const Tokenizer& source,
                           const Tokenizer& target, const LengthFilter& filter) {
  const auto sources = fingerprint_of_files(source_files);
  const auto targets = fingerprint_of_files(target_files);
  if (!sources || !targets) return "";
  std::string text = "encoding " + std::to_string(kEncodingVersion) + '\n' + *sources + *targets;
  for (const Tokenizer* tokenizer : {&source, &target})
    text += "tokenizer " + std::to_string(hash_of(tokenizer->serialized())) + '\n';
  return text + "filter " + std::to_string(filter.min_tokens) + ' ' +
         std::to_string(filter.max_tokens) + ' ' + std::to_string(filter.max_ratio) + '\n';
}

// Lines that one thread encodes at a time.
struct TextChunk {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
};

struct EncodedChunk {
  std::vector<std::vector<int32_t>> sources;  // the kept pairs
  std::vector<std::vector<int32_t>> targets;
  CorpusReport report;
};

// Pairs of lines from a list of source files and a list of target files.
class PairReader {
 public:
  PairReader(const std::vector<std::string>& source_files,
             const std::vector<std::string>& target_files)
      : source_files_(source_files), target_files_(target_files) {}

  // The next pairs; nothing at the end.
  std::optional<TextChunk> next() {
    constexpr size_t kChunkPairs = 4096;
    constexpr size_t kChunkBytes = 1 << 20;
    TextChunk chunk;
    size_t bytes = 0;
    std::string source, target;
    while (chunk.sources.size() < kChunkPairs && bytes < kChunkBytes && next_pair(source, target)) {
      bytes += source.size() + target.size();
      chunk.sources.push_back(source);
      chunk.targets.push_back(target);
    }
    if (chunk.sources.empty()) return std::nullopt;
    return chunk;
  }

 private:
  bool next_pair(std::string& source, std::string& target) {
    for (;;) {
      if (!source_) {
        if (file_ == source_files_.size()) return false;
        source_ = std::make_unique<LineReader>(source_files_[file_]);
        target_ = std::make_unique<LineReader>(target_files_[file_]);
      }
      const bool has_source = source_->next(source);
      const bool has_target = target_->next(target);
      if (has_source != has_target) fail_unequal(has_source);
      if (has_source) break;
      source_.reset();
      ++file_;
    }
    check_utf8(*source_, source);
    check_utf8(*target_, target);
    return true;
  }

  static void check_utf8(const LineReader& reader, const std::string& line) {
    if (const size_t at = invalid_utf8_at(line); at != std::string::npos)
      throw DataError(reader.where() + ": not UTF-8 at byte " + std::to_string(at + 1));
  }

  [[noreturn]] void fail_unequal(bool source_is_longer) {
    LineReader& longer = source_is_longer ? *source_ : *target_;
    const std::string where = longer.where();
    for (std::string line; longer.next(line);) {
    }
    throw DataError(where + ": this line has no counterpart: " + source_files_[file_] + " has " +
                    std::to_string(source_->line_number()) + " lines, " + target_files_[file_] +
                    " has " + std::to_string(target_->line_number()));
  }

  const std::vector<std::string>& source_files_;
  const std::vector<std::string>& target_files_;
  size_t file_ = 0;
  std::unique_ptr<LineReader> source_;
  std::unique_ptr<LineReader> target_;
};

// The counter of `report` for a pair that the filter drops, or null for one that it keeps.
int64_t* drop_counter(CorpusReport& report, const LengthFilter& filter, int64_t source,
                      int64_t target) {
  const auto [shorter, longer] = std::minmax(source, target);
  if (shorter == 0) return &report.empty;
  if (shorter < filter.min_tokens) return &report.too_short;
  if (longer > filter.max_tokens) return &report.too_long;
  if (filter.max_ratio > 0 &&
      static_cast<double>(longer) > filter.max_ratio * static_cast<double>(shorter))
    return &report.ratio;
  return nullptr;
}

EncodedChunk encode(const TextChunk& text, const Tokenizer& source_tokenizer,
                    const Tokenizer& target_tokenizer, const LengthFilter& filter) {
  EncodedChunk chunk;
  for (size_t i = 0; i < text.sources.size(); ++i) {
    std::vector<int32_t> source = source_tokenizer.encode(text.sources[i]);
    std::vector<int32_t> target = target_tokenizer.encode(text.targets[i]);
    ++chunk.report.lines;
    if (int64_t* counter =
            drop_counter(chunk.report, filter, std::ssize(source), std::ssize(target))) {
      ++*counter;
      continue;
    }
    source.push_back(source_tokenizer.end_id());
    target.push_back(target_tokenizer.end_id());
    ++chunk.report.kept;
    chunk.report.source_tokens += std::ssize(source);
    chunk.report.target_tokens += std::ssize(target);
    chunk.sources.push_back(std::move(source));
    chunk.targets.push_back(std::move(target));
  }
  return chunk;
}

void add(CorpusReport& total, const CorpusReport& part) {
  for (const auto field : {&CorpusReport::lines, &CorpusReport::kept, &CorpusReport::empty,
                           &CorpusReport::too_short, &CorpusReport::too_long, &CorpusReport::ratio,
                           &CorpusReport::source_tokens, &CorpusReport::target_tokens})
    total.*field += part.*field;
}

}  // namespace

std::string CorpusReport::summary() const {
  std::string text = "kept " + std::to_string(kept) + " of " + std::to_string(lines) + " pairs";
  std::string dropped;
  const auto mention = [&](int64_t count, const char* what) {
    if (count > 0) dropped += (dropped.empty() ? "" : ", ") + std::to_string(count) + ' ' + what;
  };
  mention(empty, "with an empty side");
  mention(too_short, "too short");
  mention(too_long, "too long");
  mention(ratio, "of too unequal lengths");
  if (!dropped.empty()) text += " (dropped " + dropped + ")";
  return text + ", " + std::to_string(source_tokens) + " source and " +
         std::to_string(target_tokens) + " target tokens";
}

// Pair p is the sequences 2p (source) and 2p+1 (target) of the cache.
struct ParallelCorpus::Impl {
  std::unique_ptr<MappedCache> cache;
  CorpusReport report;

  bool open(const fs::path& file, const std::string& fingerprint) {
    cache = MappedCache::open(file, fingerprint);
    if (cache) report = std::bit_cast<CorpusReport>(cache->counters());
    return cache != nullptr;
  }
};

ParallelCorpus::ParallelCorpus(const std::vector<std::string>& source_files,
                               const std::vector<std::string>& target_files,
                               const Tokenizer& source, const Tokenizer& target,
                               const LengthFilter& filter, const fs::path& cache_file,
                               int64_t threads)
    : impl_(std::make_unique<Impl>()) {
  if (source_files.size() != target_files.size() || source_files.empty()) {
    throw ConfigError(std::to_string(source_files.size()) + " source files and " +
                      std::to_string(target_files.size()) +
                      " target files: give the same number of both, at least one");
  }
  const std::string fingerprint =
      fingerprint_of(source_files, target_files, source, target, filter);
  if (!fingerprint.empty() && impl_->open(cache_file, fingerprint)) return;

  CacheWriter writer(cache_file, fingerprint);
  CorpusReport report;
  PairReader reader(source_files, target_files);
  work_in_order(
      threads, [&] { return reader.next(); },
      [&](const TextChunk& text) { return encode(text, source, target, filter); },
      [&](const EncodedChunk& chunk) {
        for (size_t i = 0; i < chunk.sources.size(); ++i) {
          writer.append(chunk.sources[i]);
          writer.append(chunk.targets[i]);
        }
        add(report, chunk.report);
      });
  if (report.kept == 0)
    throw DataError(source_files.front() + ": nothing left to train on: " + report.summary());
  writer.finish(std::bit_cast<CacheCounters>(report));
  if (!impl_->open(cache_file, fingerprint))
    throw Error(cache_file.string() + ": the corpus cache cannot be read back");
}

ParallelCorpus::~ParallelCorpus() = default;

int64_t ParallelCorpus::size() const { return impl_->cache->sequences() / 2; }

std::span<const int32_t> ParallelCorpus::source(int64_t pair) const {
  return impl_->cache->sequence(2 * pair);
}

std::span<const int32_t> ParallelCorpus::target(int64_t pair) const {
  return impl_->cache->sequence(2 * pair + 1);
}

int64_t ParallelCorpus::source_length(int64_t pair) const { return impl_->cache->length(2 * pair); }

int64_t ParallelCorpus::target_length(int64_t pair) const {
  return impl_->cache->length(2 * pair + 1);
}

const CorpusReport& ParallelCorpus::report() const { return impl_->report; }

void ParallelCorpus::read(int64_t pair, std::vector<int32_t>& ids) const {
  ids.clear();
  impl_->cache->read(impl_->cache->first_token(2 * pair), impl_->cache->first_token(2 * pair + 2),
                     ids);
}

}  // namespace dietmt::data
