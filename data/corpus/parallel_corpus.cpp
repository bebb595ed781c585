#include "data/corpus/parallel_corpus.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "common/error.h"
#include "common/random.h"
#include "data/corpus/corpus_encoding.h"
#include "data/corpus/parallel_reader.h"
#include "data/corpus/unknown_pieces.h"
#include "data/text/source_tag.h"

namespace dietmt::data {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kReportedLines = 1'000'000;
constexpr uint64_t kEncodingVersion = 2;  // incremented when the same input gives other ids

// Names everything that the encoded corpus depends on; "" if an input can be read only once.
std::string fingerprint_of(const CorpusFiles& files, const Tokenizer& source,
                           const Tokenizer& target, const LengthFilter& filter, bool documents) {
  const TextColumn source_text(files.source), target_text(files.target);
  std::vector<std::string> read = {source_text.file, target_text.file};
  const bool weighted = !files.weights.empty();
  const TextColumn weights(files.weights);
  if (weighted) read.push_back(weights.file);
  const auto paths = fingerprint_of_files(read);
  if (!paths) return "";
  std::string text = "encoding " + std::to_string(kEncodingVersion) + '\n' + *paths;
  if (source_text.column > 0 || target_text.column > 0)
    text += fmt::format("columns {} {}\n", source_text.column, target_text.column);
  if (weighted) text += fmt::format("weights in column {}\n", weights.column);
  for (const Tokenizer* tokenizer : {&source, &target})
    text += "tokenizer " + std::to_string(hash_of(tokenizer->serialized())) + '\n';
  if (!files.source_tag.empty()) text += "tag " + files.source_tag + '\n';
  if (!files.target_tag.empty()) text += "target tag " + files.target_tag + '\n';
  if (files.invalid_utf8 != InvalidUtf8::kRefuse)
    text += "invalid UTF-8 " + to_string(files.invalid_utf8) + '\n';
  if (documents)
    text += files.invalid_utf8 == InvalidUtf8::kSkip ? "documents end at skipped pairs\n"
                                                     : "documents\n";
  return text + "filter " + std::to_string(filter.min_tokens) + ' ' +
         std::to_string(filter.max_tokens) + ' ' + std::to_string(filter.max_ratio) + '\n';
}

fs::path cache_name(const CorpusFiles& files) {
  // A pipe in /dev/fd has no canonical path.
  const auto place = [](const std::string& file) {
    std::error_code error;
    const fs::path path = fs::weakly_canonical(file, error);
    return error ? file : path.string();
  };
  const std::string weights = files.weights.empty() ? "" : '\t' + place(files.weights);
  return fmt::format("{:016x}.cache",
                     hash_of(place(files.source) + '\t' + place(files.target) + '\t' +
                             files.source_tag + files.target_tag + weights));
}

struct EncodedChunk {
  std::vector<std::vector<int32_t>> sources;  // of the kept pairs
  std::vector<std::vector<int32_t>> targets;
  std::vector<float> weights;  // none if the pairs have none
  std::vector<size_t> ends;    // kept pairs before each dropped pair
  CorpusReport report;
  UnknownPieces unknown_sources, unknown_targets;
};

// The report's counter for a pair that the filter drops; null for a pair that it keeps.
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

/// What encodes the lines of a corpus: the tokenizers and the tags of its files.
struct Encoder {
  Encoder(const CorpusFiles& files, const Tokenizer& source_pieces, const Tokenizer& target_pieces)
      : source(source_pieces),
        target(target_pieces),
        source_tag(source, files.source_tag),
        target_tag(target, files.target_tag) {}

  const Tokenizer& source;
  const Tokenizer& target;
  const SourceTag source_tag, target_tag;
};

EncodedChunk encode(const TextPairs& text, const Encoder& encoder, const LengthFilter& filter) {
  EncodedChunk chunk;
  for (size_t i = 0; i < text.sources.size(); ++i) {
    const std::string source_text = encoder.source_tag.before(text.sources[i]);
    const std::string target_text = encoder.target_tag.before(text.targets[i]);
    std::vector<int32_t> source = encoder.source.encode(source_text);
    std::vector<int32_t> target = encoder.target.encode(target_text);
    ++chunk.report.lines;
    if (int64_t* counter =
            drop_counter(chunk.report, filter, std::ssize(source) - encoder.source_tag.pieces(),
                         std::ssize(target) - encoder.target_tag.pieces())) {
      ++*counter;
      chunk.ends.push_back(chunk.sources.size());
      continue;
    }
    chunk.unknown_sources.add(encoder.source, source_text, source);
    chunk.unknown_targets.add(encoder.target, target_text, target);
    const std::vector<int32_t> ending = encoder.source.source_ending();
    source.insert(source.end(), ending.begin(), ending.end());
    target.push_back(encoder.target.end_id());
    ++chunk.report.kept;
    chunk.report.source_tokens += std::ssize(source);
    chunk.report.target_tokens += std::ssize(target);
    chunk.sources.push_back(std::move(source));
    chunk.targets.push_back(std::move(target));
    if (!text.weights.empty()) chunk.weights.push_back(text.weights[i]);
  }
  return chunk;
}

// Appends pairs in a row and records where documents end between them.
class DocumentWriter {
 public:
  DocumentWriter(CacheWriter& cache, bool documents) : cache_(cache), documents_(documents) {}

  void add(const EncodedChunk& chunk) {
    size_t end = 0;
    for (size_t i = 0; i <= chunk.sources.size(); ++i) {
      for (; end < chunk.ends.size() && chunk.ends[end] == i; ++end) end_document();
      if (i == chunk.sources.size()) break;
      cache_.append(chunk.sources[i]);
      cache_.append(chunk.targets[i]);
      open_ = true;
    }
  }

  void end_document() {
    if (documents_ && open_) cache_.end_group();
    open_ = false;
  }

 private:
  CacheWriter& cache_;
  bool documents_;
  bool open_ = false;
};

void write_weights(CacheWriter& cache, const std::vector<float>& weights, const std::string& file) {
  if (!weights.empty() && std::ranges::all_of(weights, [](float weight) { return weight == 0.0F; }))
    throw DataError(file + ": the weights of all pairs that are kept are 0");
  std::vector<int32_t> bits;
  for (const float weight : weights) bits.push_back(std::bit_cast<int32_t>(weight));
  cache.append(bits);
}

}  // namespace

float CorpusShard::weight(int64_t pair) const {
  if (!weighted()) return 1.0F;
  const int64_t place = cache->first_token(cache->sequences() - 1) + pair;
  std::vector<int32_t> bits;
  cache->read(place, place + 1, bits);
  return std::bit_cast<float>(bits.front());
}

CorpusShard open_shard(const CorpusFiles& files, const Tokenizer& source, const Tokenizer& target,
                       const LengthFilter& filter, const fs::path& folder, int64_t threads,
                       bool documents, CacheUse use) {
  const fs::path file = folder / cache_name(files);
  const auto open = [&](const std::optional<std::string>& fingerprint) -> CorpusShard {
    std::unique_ptr<const MappedCache> cache = MappedCache::open(file, fingerprint);
    if (!cache) return {};
    const auto report = std::bit_cast<CorpusReport>(cache->counters());
    return {std::move(cache), report};
  };
  if (use == CacheUse::kOfFirstProcess) {
    CorpusShard shard = open(std::nullopt);
    if (!shard.cache) throw other_text(file);
    return shard;
  }
  const std::string fingerprint = fingerprint_of(files, source, target, filter, documents);
  if (!fingerprint.empty())
    if (CorpusShard shard = open(fingerprint); shard.cache) return shard;

  spdlog::info("encoding {} and {}", files.source, files.target);
  CacheWriter writer(file, fingerprint);
  DocumentWriter pairs(writer, documents);
  CorpusReport report;
  UnknownPieces unknown_sources, unknown_targets;
  std::vector<float> weights;
  ParallelReader reader(files);
  const Encoder encoder(files, source, target);
  work_in_order(
      threads, [&] { return reader.next(); },
      [&](const TextPairs& text) { return encode(text, encoder, filter); },
      [&](const EncodedChunk& chunk) {
        pairs.add(chunk);
        weights.insert(weights.end(), chunk.weights.begin(), chunk.weights.end());
        const int64_t millions = report.lines / kReportedLines;
        report += chunk.report;
        unknown_sources += chunk.unknown_sources;
        unknown_targets += chunk.unknown_targets;
        if (report.lines / kReportedLines > millions)
          spdlog::info("encoded {} million lines", report.lines / kReportedLines);
      });
  pairs.end_document();
  if (!files.weights.empty()) write_weights(writer, weights, files.weights);
  reader.report();
  report.empty -= reader.skipped();
  unknown_sources.check(files.source, source, files.allows_unknown);
  unknown_targets.check(files.target, target, files.allows_unknown);
  writer.finish(std::bit_cast<CacheCounters>(report));
  CorpusShard shard = open(fingerprint);
  if (!shard.cache) throw Error(file.string() + ": the corpus cache cannot be read back");
  return shard;
}

ParallelCorpus::ParallelCorpus(const std::vector<CorpusFiles>& corpora, const Tokenizer& source,
                               const Tokenizer& target, const LengthFilter& filter,
                               const std::filesystem::path& cache_folder, int64_t threads,
                               const SentenceContext& context, CacheUse use)
    : context_(context) {
  for (const CorpusFiles& files : corpora) {
    shards_.push_back(
        open_shard(files, source, target, filter, cache_folder, threads, context.any(), use));
    starts_.push_back(size() + shards_.back().size());
    report_ += shards_.back().report;
  }
  if (report_.kept == 0)
    throw DataError(corpora.at(0).source +
                    ": no pair is left after filtering by length (--min-tokens, --max-tokens and "
                    "--max-ratio of dietmt train): " +
                    report_.summary());
}

uint64_t ParallelCorpus::content_hash() const {
  uint64_t hash = 0;
  for (const CorpusShard& shard : shards_) hash = random_key(hash, shard.cache->content_hash());
  return hash;
}

bool ParallelCorpus::weighted() const {
  return std::ranges::any_of(shards_, [](const CorpusShard& shard) { return shard.weighted(); });
}

float ParallelCorpus::weight(int64_t pair) const {
  const PairOfShard place = shard_of(pair);
  return place.shard.weight(place.pair);
}

ParallelCorpus::PairOfShard ParallelCorpus::shard_of(int64_t pair) const {
  const auto next = std::upper_bound(starts_.begin() + 1, starts_.end() - 1, pair);
  const auto shard = static_cast<size_t>(next - starts_.begin()) - 1;
  return {shards_[shard], pair - starts_[shard]};
}

ParallelCorpus::Place ParallelCorpus::source_of(int64_t pair) const {
  const PairOfShard place = shard_of(pair);
  return {*place.shard.cache, 2 * place.pair};
}

ParallelCorpus::Place ParallelCorpus::target_of(int64_t pair) const {
  const Place source = source_of(pair);
  return {source.cache, source.sequence + 1};
}

std::span<const int32_t> ParallelCorpus::source(int64_t pair) const {
  const Place place = source_of(pair);
  return place.cache.sequence(place.sequence);
}

std::span<const int32_t> ParallelCorpus::target(int64_t pair) const {
  const Place place = target_of(pair);
  return place.cache.sequence(place.sequence);
}

int64_t ParallelCorpus::source_length(int64_t pair) const {
  const Place place = source_of(pair);
  return context_.any() ? lengths_of(place).source : place.cache.length(place.sequence);
}

int64_t ParallelCorpus::target_length(int64_t pair) const {
  const Place place = target_of(pair);
  if (!context_.in_target()) return place.cache.length(place.sequence);
  return lengths_of(source_of(pair)).target;
}

// Adds preceding pairs, latest first, while both sides have room. In the context, separators
// replace ends of sentence.
ParallelCorpus::Lengths ParallelCorpus::lengths_of(const Place& source) const {
  const MappedCache& cache = source.cache;
  const int64_t first = cache.first_sequence(cache.group_of(source.sequence));
  Lengths lengths{0, cache.length(source.sequence), cache.length(source.sequence + 1)};
  for (int64_t s = source.sequence - 2; s >= first && lengths.context < context_.sentences;
       s -= 2) {
    const int64_t source_tokens = lengths.source + cache.length(s);
    const int64_t target_tokens = lengths.target + (context_.in_target() ? cache.length(s + 1) : 0);
    if (source_tokens > context_.max_tokens) break;
    if (context_.in_target() && target_tokens > context_.max_tokens) break;
    lengths = {lengths.context + 1, source_tokens, target_tokens};
  }
  return lengths;
}

// In the file, pairs follow one another; in memory they are sorted by side.
void ParallelCorpus::read_with_context(const Place& source, std::vector<int32_t>& ids) const {
  const MappedCache& cache = source.cache;
  const int64_t first = source.sequence - 2 * lengths_of(source).context;
  const int64_t begin = cache.first_token(first);
  std::vector<int32_t> pairs;
  cache.read(begin, cache.first_token(source.sequence + 2), pairs);
  const auto add = [&](int64_t sequence, int32_t separator) {
    const auto at = pairs.begin() + (cache.first_token(sequence) - begin);
    ids.insert(ids.end(), at, at + cache.length(sequence));
    if (separator >= 0) ids.back() = separator;
  };
  for (int64_t s = first; s < source.sequence; s += 2) add(s, context_.source_separator);
  add(source.sequence, -1);
  if (context_.in_target())
    for (int64_t s = first; s < source.sequence; s += 2) add(s + 1, context_.target_separator);
  add(source.sequence + 1, -1);
}

void ParallelCorpus::read(int64_t pair, std::vector<int32_t>& ids) const {
  ids.clear();
  const Place source = source_of(pair);
  if (context_.any()) return read_with_context(source, ids);
  source.cache.read(source.cache.first_token(source.sequence),
                    source.cache.first_token(source.sequence + 2), ids);
}

}  // namespace dietmt::data
