// Raw text as token ids for pre-training: sentences in documents, encoded once into a file that is
// mapped into memory, so that a corpus may be larger than memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/corpus/corpus_cache.h"
#include "data/text/bert_tokenizer.h"
#include "data/text/utf8_lines.h"

namespace dietmt::data {

/// What separates documents in a text file. Each line with text is a sentence, and each file starts
/// a new document.
enum class DocumentBoundary {
  kEmptyLine,  // an empty line (or one of spaces), as in the input of Devlin et al. 2019
  kEveryLine,  // each line is a document
  kTitle,      // a line ` = Title = ` begins one, as in WikiText; empty lines mean nothing
};

/// From "empty-line", "every-line" or "title". Throws ConfigError.
DocumentBoundary parse_document_boundary(const std::string& name);

struct TextOptions {
  DocumentBoundary boundary = DocumentBoundary::kEmptyLine;
  int64_t max_line_bytes = 1 << 20;
  bool skips_long_lines = false;  // otherwise they are cut
  InvalidUtf8 invalid_utf8 = InvalidUtf8::kReplace;
  std::vector<std::string> problems() const;
};

/// What happened to the lines of a corpus.
struct TextReport {
  int64_t lines = 0;      // including empty ones
  int64_t documents = 0;  // with at least one sentence
  int64_t sentences = 0;
  int64_t tokens = 0;
  int64_t unknown = 0;          // of the tokens
  int64_t not_utf8 = 0;         // lines with bytes that became U+FFFD, or that were skipped
  int64_t cut = 0;              // lines beyond TextOptions::max_line_bytes
  int64_t no_piece = 0;         // lines with text but without pieces
  std::string summary() const;  // one sentence
};

/// Sentences of token ids, without special pieces. Read-only, backed by a mapped file.
class TextCorpus {
 public:
  /// Encodes the files (plain or compressed, concatenated in order) into `cache_file`, or maps that
  /// file if it was made from the same files (path, size, modification time), tokenizer and
  /// options. Standard input and pipes are encoded each time. Threads encode in parallel; the
  /// content does not depend on their number. Uses constant memory (plus the longest line). The
  /// tokenizer must outlive the corpus. Throws DataError naming a file that cannot be read or has
  /// no text, ConfigError, or Error if the cache cannot be written. With CacheUse::kOfFirstProcess
  /// it reads only the cache, and throws other_text().
  TextCorpus(const std::vector<std::string>& files, const BertTokenizer& tokenizer,
             const TextOptions& options, const std::filesystem::path& cache_file, int64_t threads,
             CacheUse use = CacheUse::kUpToDate);
  ~TextCorpus();
  TextCorpus(TextCorpus&&) noexcept;
  TextCorpus& operator=(TextCorpus&&) noexcept;

  /// Equal for equal documents in the same order, wherever their files are.
  uint64_t content_hash() const;

  int64_t documents() const;
  int64_t sentences() const;
  int64_t tokens() const;
  const TextReport& report() const;
  const BertTokenizer& tokenizer() const;

  /// Document d owns the sentences first_sentence(d) .. first_sentence(d + 1) - 1.
  int64_t first_sentence(int64_t document) const;
  /// Sentence s owns the tokens first_token(s) .. first_token(s + 1) - 1.
  int64_t first_token(int64_t sentence) const;
  /// The document of a token.
  int64_t document_of(int64_t token) const;

  std::span<const int32_t> sentence(int64_t index) const;

  /// Appends the tokens begin .. end-1 to `ids`, read from the file, so that a pass over a large
  /// corpus does not make its mapped pages resident. Throws Error if reading fails.
  void read(int64_t begin, int64_t end, std::vector<int32_t>& ids) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dietmt::data
