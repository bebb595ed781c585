#include "data/pretraining/text_preparation.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <algorithm>

#include "data/corpus/corpus_encoding.h"
#include "data/corpus/duplicate_index.h"
#include "data/pretraining/sentence_reader.h"
#include "data/text/language_codes.h"
#include "data/text/moses_normalizer.h"
#include "data/text/sentence_splitter.h"

namespace dietmt::data {
namespace {

bool is_letter(const SourceCharacter& one) {
  return u_isUAlphabetic(static_cast<UChar32>(one.code));
}

bool has_word(std::string_view sentence) {
  return std::ranges::any_of(
      source_characters(sentence, 0, static_cast<int32_t>(sentence.size())),
      [](const SourceCharacter& one) { return is_letter(one) || u_isdigit(one.code); });
}

struct PreparedLine {
  uint64_t key = 0;
  std::string sentences = {};  // each with a line feed; empty: the line has too few letters
  int64_t count = 0;
  bool begins_document = false;
};

class LinePreparation {
 public:
  explicit LinePreparation(const PreparationOptions& options) : options_(options) {}

  /// Called from several threads.
  PreparedLine operator()(std::string_view line) const {
    const std::string text = normalized(line);
    PreparedLine prepared;
    if (text.empty()) return prepared;
    TextHash hash(seed_);
    hash.add(text.data(), text.size());
    prepared.key = hash.finish();
    for (const SentencePiece& piece : split_sentences(text, options_.language).pieces) {
      if (!has_word(piece.sentence)) continue;
      prepared.sentences.append(piece.sentence).push_back('\n');
      ++prepared.count;
    }
    return prepared;
  }

 private:
  // Empty if the line has too few letters.
  std::string normalized(std::string_view line) const {
    Characters text = source_characters(line, 0, static_cast<int32_t>(line.size()));
    normalize_punctuation(primary_language(options_.language), text);
    for (SourceCharacter& one : text)
      if (!is_printed(one.code)) one.code = ' ';
    join_spaces(is_any_space, text);
    trim(text);
    const int64_t letters = std::ranges::count_if(text, is_letter);
    std::string made;
    if (letters < options_.min_letters ||
        static_cast<double>(letters) < options_.min_letter_share * static_cast<double>(text.size()))
      return made;
    for (const SourceCharacter& one : text) append_utf8(one.code, made);
    return made;
  }

  const PreparationOptions& options_;
  uint64_t seed_ = TextHash::random_seed();
};

// Passes on the lines that were not there before.
class LineSelection {
 public:
  LineSelection(const std::filesystem::path& directory, const SentenceSink& sink)
      : seen_(directory), sink_(sink) {}

  void take(const PreparedLine& line) {
    begins_document_ |= line.begins_document;
    if (line.count == 0) {
      ++report.few_letters;
    } else if (seen_.contains(line.key)) {
      ++report.duplicates;
    } else {
      seen_.insert(line.key);
      keep(line);
    }
  }

  PreparationReport report;

 private:
  void keep(const PreparedLine& line) {
    report.documents += begins_document_ ? 1 : 0;
    begins_document_ = false;
    ++report.kept;
    report.sentences += line.count;
    sink_(report.documents - 1, line.sentences);
  }

  DuplicateIndex seen_;
  const SentenceSink& sink_;
  bool begins_document_ = false;
};

}  // namespace

std::string PreparationReport::summary() const {
  std::string removed;
  const auto mention = [&](int64_t count, const char* what) {
    if (count > 0) removed += fmt::format("{}{} {}", removed.empty() ? "" : ", ", count, what);
  };
  mention(few_letters, "with too few letters");
  mention(duplicates, "there twice");
  mention(too_long, "too long");
  mention(not_utf8, "not UTF-8");
  return fmt::format("{} sentences of {} documents, from {} of {} lines{}", sentences, documents,
                     kept, lines, removed.empty() ? "" : " (left out: " + removed + ")");
}

PreparationReport prepare_text(const std::vector<std::string>& files,
                               const PreparationOptions& options, const SentenceSink& sink) {
  SentenceReader reader(
      files,
      {.boundary = options.boundary, .skips_long_lines = true, .invalid_utf8 = InvalidUtf8::kSkip});
  const LinePreparation prepare(options);
  LineSelection selection(options.directory, sink);
  work_in_order(
      options.threads, [&] { return reader.next(); },
      [&](const SentenceChunk& chunk) {
        std::vector<PreparedLine> lines;
        for (size_t i = 0; i < chunk.lines.size(); ++i) {
          lines.push_back(prepare(chunk.lines[i]));
          lines.back().begins_document = chunk.begins_document[i];
        }
        return lines;
      },
      [&](const std::vector<PreparedLine>& lines) {
        for (const PreparedLine& line : lines) selection.take(line);
      });
  PreparationReport report = selection.report;
  report.lines = reader.report().lines;
  report.too_long = reader.report().cut;
  report.not_utf8 = reader.report().not_utf8;
  return report;
}

}  // namespace dietmt::data
