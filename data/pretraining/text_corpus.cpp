#include "data/pretraining/text_corpus.h"

#include <algorithm>
#include <bit>
#include <map>
#include <ranges>
#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "common/temporary_directory.h"
#include "data/corpus/corpus_cache.h"
#include "data/corpus/corpus_encoding.h"
#include "data/pretraining/sentence_reader.h"

namespace dietmt::data {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kEncodingVersion = 1;  // incremented when the ids of the same input change

constexpr std::pair<const char*, DocumentBoundary> kBoundaries[] = {
    {"empty-line", DocumentBoundary::kEmptyLine},
    {"every-line", DocumentBoundary::kEveryLine},
    {"title", DocumentBoundary::kTitle},
};

// A hash of the files that the tokenizer saves (names and bytes), on which its ids depend.
uint64_t tokenizer_hash(const BertTokenizer& tokenizer) {
  const TemporaryDirectory directory;
  tokenizer.save(directory.path());
  std::map<std::string, std::string> files;  // in order of their names
  for (const fs::directory_entry& entry : fs::directory_iterator(directory.path()))
    files[entry.path().filename().string()] = read_file(entry.path());
  std::string bytes;
  for (const auto& [name, content] : files)
    bytes += name + ' ' + std::to_string(content.size()) + '\n' + content;
  return hash_of(bytes);
}

// Names everything that the encoded corpus depends on; empty if an input can be read only once.
std::string fingerprint_of(const std::vector<std::string>& files, const BertTokenizer& tokenizer,
                           const TextOptions& options) {
  const auto named_files = fingerprint_of_files(files);
  if (!named_files) return "";
  return "text encoding " + std::to_string(kEncodingVersion) + '\n' + *named_files + "tokenizer " +
         std::to_string(tokenizer_hash(tokenizer)) + "\ndocuments " +
         std::to_string(static_cast<int>(options.boundary)) + "\nline bytes " +
         std::to_string(options.max_line_bytes) + '\n' +
         (options.invalid_utf8 == InvalidUtf8::kReplace
              ? ""
              : "invalid UTF-8 " + to_string(options.invalid_utf8) + '\n');
}

struct EncodedChunk {
  std::vector<std::vector<int32_t>> sentences;
  std::vector<bool> begins_document;
  int64_t unknown = 0;
};

EncodedChunk encode(const SentenceChunk& text, const BertTokenizer& tokenizer) {
  EncodedChunk chunk;
  chunk.begins_document = text.begins_document;
  for (const std::string& line : text.lines) {
    chunk.sentences.push_back(tokenizer.encode(line).ids);
    chunk.unknown += std::ranges::count(chunk.sentences.back(), tokenizer.special().unknown);
  }
  return chunk;
}

// Writes sentences as groups of the cache, one for each document that has any.
class DocumentWriter {
 public:
  DocumentWriter(CacheWriter& cache, TextReport& report) : cache_(cache), report_(report) {}

  void append(const EncodedChunk& chunk) {
    report_.unknown += chunk.unknown;
    for (size_t i = 0; i < chunk.sentences.size(); ++i) {
      if (chunk.begins_document[i]) end_document();
      append(chunk.sentences[i]);
    }
  }

  void end_document() {
    if (!in_document_) return;
    cache_.end_group();
    ++report_.documents;
    in_document_ = false;
  }

 private:
  void append(const std::vector<int32_t>& sentence) {
    if (sentence.empty()) {
      ++report_.no_piece;
      return;
    }
    cache_.append(sentence);
    ++report_.sentences;
    report_.tokens += std::ssize(sentence);
    in_document_ = true;
  }

  CacheWriter& cache_;
  TextReport& report_;
  bool in_document_ = false;
};

// Encodes the files into a cache.
void write_cache(const std::vector<std::string>& files, const BertTokenizer& tokenizer,
                 const TextOptions& options, CacheWriter& cache, int64_t threads) {
  SentenceReader reader(files, options);
  TextReport report;
  DocumentWriter writer(cache, report);
  work_in_order(
      threads, [&] { return reader.next(); },
      [&](const SentenceChunk& text) { return encode(text, tokenizer); },
      [&](const EncodedChunk& chunk) { writer.append(chunk); });
  writer.end_document();
  report.lines = reader.report().lines;
  report.not_utf8 = reader.report().not_utf8;
  report.cut = reader.report().cut;
  if (report.sentences == 0)
    throw DataError(files.front() + ": no sentence is left to train on: " + report.summary());
  cache.finish(std::bit_cast<CacheCounters>(report));
}

}  // namespace

DocumentBoundary parse_document_boundary(const std::string& name) {
  for (const auto& [known, boundary] : kBoundaries) {
    if (name == known) return boundary;
  }
  throw ConfigError("unknown document separator '" + name +
                    "': choose empty-line, every-line or title");
}

std::vector<std::string> TextOptions::problems() const {
  if (max_line_bytes >= 1) return {};
  return {"the longest line allowed needs at least 1 byte, not " + std::to_string(max_line_bytes)};
}

std::string TextReport::summary() const {
  std::string about_lines;
  const auto mention = [&](int64_t count, const char* what) {
    if (count == 0) return;
    about_lines += (about_lines.empty() ? "" : ", ") + std::to_string(count) + ' ' + what;
  };
  mention(not_utf8, "not UTF-8");
  mention(cut, "too long and cut");
  mention(no_piece, "without any piece");
  return std::to_string(documents) + " documents, " + std::to_string(sentences) + " sentences, " +
         std::to_string(tokens) + " tokens (" + std::to_string(unknown) + " unknown) from " +
         std::to_string(lines) + " lines" + (about_lines.empty() ? "" : " (" + about_lines + ")");
}

// Sentences are the sequences of the cache, documents its groups.
struct TextCorpus::Impl {
  const BertTokenizer* tokenizer;
  std::unique_ptr<MappedCache> cache;
  TextReport report;

  bool open(const fs::path& file, const std::optional<std::string>& fingerprint) {
    cache = MappedCache::open(file, fingerprint);
    if (cache) report = std::bit_cast<TextReport>(cache->counters());
    return cache != nullptr;
  }
};

TextCorpus::TextCorpus(const std::vector<std::string>& files, const BertTokenizer& tokenizer,
                       const TextOptions& options, const fs::path& cache_file, int64_t threads,
                       CacheUse use)
    : impl_(new Impl{&tokenizer, nullptr, {}}) {
  throw_if_any(options.problems());
  if (files.empty()) throw ConfigError("pre-training needs at least one text file");
  if (use == CacheUse::kOfFirstProcess) {
    if (!impl_->open(cache_file, std::nullopt)) throw other_text(cache_file);
    return;
  }
  const std::string fingerprint = fingerprint_of(files, tokenizer, options);
  if (!fingerprint.empty() && impl_->open(cache_file, fingerprint)) return;
  CacheWriter writer(cache_file, fingerprint);
  write_cache(files, tokenizer, options, writer, threads);
  if (!impl_->open(cache_file, fingerprint))
    throw Error(cache_file.string() + ": the corpus cache cannot be read back");
}

TextCorpus::~TextCorpus() = default;
TextCorpus::TextCorpus(TextCorpus&&) noexcept = default;
TextCorpus& TextCorpus::operator=(TextCorpus&&) noexcept = default;

uint64_t TextCorpus::content_hash() const { return impl_->cache->content_hash(); }

int64_t TextCorpus::documents() const { return impl_->cache->groups(); }

int64_t TextCorpus::sentences() const { return impl_->cache->sequences(); }

int64_t TextCorpus::tokens() const { return first_token(sentences()); }

const TextReport& TextCorpus::report() const { return impl_->report; }

const BertTokenizer& TextCorpus::tokenizer() const { return *impl_->tokenizer; }

int64_t TextCorpus::first_sentence(int64_t document) const {
  return impl_->cache->first_sequence(document);
}

int64_t TextCorpus::first_token(int64_t sentence) const {
  return impl_->cache->first_token(sentence);
}

int64_t TextCorpus::document_of(int64_t token) const {
  const auto documents_and_end = std::views::iota(int64_t{0}, documents() + 1);
  const auto behind = std::ranges::upper_bound(documents_and_end, token, {}, [&](int64_t document) {
    return first_token(first_sentence(document));
  });
  return *behind - 1;
}

std::span<const int32_t> TextCorpus::sentence(int64_t index) const {
  return impl_->cache->sequence(index);
}

void TextCorpus::read(int64_t begin, int64_t end, std::vector<int32_t>& ids) const {
  impl_->cache->read(begin, end, ids);
}

}  // namespace dietmt::data
