#include "data/pretraining/sentence_reader.h"

#include <spdlog/spdlog.h>

#include <string_view>

#include "common/error.h"

namespace dietmt::data {
namespace {

// Without spaces at its ends, including the carriage return of DOS files.
std::string_view stripped(std::string_view line) {
  constexpr const char* kSpaces = " \t\r\f\v";
  const size_t begin = line.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpaces) - begin + 1);
}

// ` = Title = `, but not the ` = = Section = = ` inside an article.
bool is_title(std::string_view text) {
  return text.size() > 4 && text.starts_with("= ") && !text.starts_with("= =") &&
         text.ends_with(" =");
}

// The longest start of at most `bytes` bytes that ends between two characters.
size_t cut_length(std::string_view line, size_t bytes) {
  const auto continues = [&](size_t at) { return (line[at] & 0xC0) == 0x80; };
  size_t length = bytes;
  while (length > 0 && continues(length)) --length;
  return length > 0 ? length : bytes;  // invalid text can be cut anywhere
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
    const std::string_view text = stripped(line);
    if (text.empty()) {
      begins_document_ |= options_.boundary == DocumentBoundary::kEmptyLine;
      continue;
    }
    begins_document_ |= options_.boundary == DocumentBoundary::kTitle && is_title(text);
    file_has_text_ = true;
    cut(line);
    return true;
  }
  return false;
}

bool SentenceReader::open() {
  if (reader_) return true;
  if (file_ == files_.size()) return false;
  reader_ = std::make_unique<LineReader>(files_[file_]);
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

void SentenceReader::cut(std::string& line) {
  const auto limit = static_cast<size_t>(options_.max_line_bytes);
  if (line.size() > limit) {
    if (report_.cut++ == 0) {
      spdlog::warn(
          "{}: {} bytes in a line; what is beyond {} is cut off, here and in lines to come",
          reader_->where(), line.size(), limit);
    }
    line.resize(cut_length(line, limit));
  }
}

}  // namespace dietmt::data
