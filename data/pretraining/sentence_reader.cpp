#include "data/pretraining/sentence_reader.h"

#include <spdlog/spdlog.h>

#include <string_view>

#include "common/error.h"
#include "common/trimmed.h"

namespace dietmt::data {
namespace {

constexpr std::string_view kSpaces = " \t\r\f\v";  // lines of DOS files end with \r

// ` = Title = `, but not the ` = = Section = = ` inside an article.
bool is_title(std::string_view text) {
  return text.size() > 4 && text.starts_with("= ") && !text.starts_with("= =") &&
         text.ends_with(" =");
}

}  // namespace

std::optional<SentenceChunk> SentenceReader::next() {
  constexpr size_t kChunkLines = 4096;
  constexpr size_t kChunkBytes = 1 << 20;
  SentenceChunk chunk;
  size_t bytes = 0;
  for (std::string line;
       chunk.lines.size() < kChunkLines && bytes < kChunkBytes && next_sentence(line);) {
    bytes += line.size();
    chunk.begins_document.push_back(begins_document_);
    begins_document_ = options_.boundary == DocumentBoundary::kEveryLine;
    chunk.lines.push_back(std::move(line));
  }
  if (chunk.lines.empty()) return std::nullopt;
  return chunk;
}

bool SentenceReader::next_sentence(std::string& line) {
  while (open()) {
    if (!reader_->next(line)) {
      close();
      continue;
    }
    ++report_.lines;
    if (!utf8_->admit(*reader_, line)) continue;
    const std::string_view text = trimmed(line, kSpaces);
    if (text.empty()) {
      begins_document_ |= options_.boundary == DocumentBoundary::kEmptyLine;
      continue;
    }
    begins_document_ |= options_.boundary == DocumentBoundary::kTitle && is_title(text);
    file_has_text_ = true;
    if (count_long(line) && options_.skips_long_lines) continue;
    return true;
  }
  return false;
}

bool SentenceReader::open() {
  if (reader_) return true;
  if (file_ == files_.size()) return false;
  reader_ = std::make_unique<LineReader>(
      files_[file_], static_cast<size_t>(options_.max_line_bytes), LongLines::kCut);
  utf8_.emplace(options_.invalid_utf8);
  file_has_text_ = false;
  begins_document_ = true;
  return true;
}

void SentenceReader::close() {
  if (!file_has_text_) throw DataError(files_[file_] + ": the file has no text");
  utf8_->report(files_[file_]);
  report_.not_utf8 += utf8_->count();
  reader_.reset();
  ++file_;
}

bool SentenceReader::count_long(const std::string& line) {
  if (reader_->bytes_cut() == 0) return false;
  if (report_.cut++ == 0) {
    spdlog::warn("{}: {} bytes; this line and later ones over {} are {}", reader_->where(),
                 line.size() + reader_->bytes_cut(), options_.max_line_bytes,
                 options_.skips_long_lines ? "left out" : "cut");
  }
  return true;
}

}  // namespace dietmt::data
