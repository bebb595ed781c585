#include "service/documents/pdf/pdf_pages.h"

#include <libxml/parser.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <new>

#include "common/child_process.h"
#include "common/utf8.h"

namespace dietmt::service {
namespace {

using Attributes = const xmlChar**;  // SAX2: name, prefix, namespace, begin and end of the value

const std::string& pdftotext() {
  static const std::string path = program_on_path("pdftotext");
  return path;
}

double number_named(std::string_view name, Attributes attributes, int count) {
  constexpr int kFields = 5;
  for (int i = 0; i < count; ++i, attributes += kFields) {
    if (name != reinterpret_cast<const char*>(attributes[0])) continue;
    double value = 0;
    std::from_chars(reinterpret_cast<const char*>(attributes[3]),
                    reinterpret_cast<const char*>(attributes[4]), value);
    return value;
  }
  return 0;
}

// The output of pdftotext -bbox-layout: elements page, flow, block, line and word.
class Layout {
 public:
  explicit Layout(size_t most_bytes)
      : most_bytes_(most_bytes), parser_(nullptr, xmlFreeParserCtxt) {
    xmlSAXHandler handler = {};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = [](void* self, const xmlChar* name, auto, auto, int, auto, int count,
                                int, Attributes attributes) {
      static_cast<Layout*>(self)->begin(reinterpret_cast<const char*>(name), attributes, count);
    };
    handler.characters = [](void* self, const xmlChar* text, int size) {
      static_cast<Layout*>(self)->add(
          {reinterpret_cast<const char*>(text), static_cast<size_t>(size)});
    };
    handler.endElementNs = [](void* self, const xmlChar* name, auto, auto) {
      static_cast<Layout*>(self)->end(reinterpret_cast<const char*>(name));
    };
    parser_.reset(xmlCreatePushParserCtxt(&handler, this, nullptr, 0, nullptr));
    if (!parser_) throw std::bad_alloc();
    // Words may hold control characters, and a PDF of many pages is a long file.
    xmlCtxtUseOptions(parser_.get(), XML_PARSE_RECOVER | XML_PARSE_HUGE | XML_PARSE_NONET |
                                         XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  }

  void read(std::string_view piece) {
    xmlParseChunk(parser_.get(), piece.data(), static_cast<int>(piece.size()), 0);
    if (bytes_ > most_bytes_)
      throw DocumentTooLargeError("the PDF has more than " + std::to_string(most_bytes_) +
                                  " bytes of text");
  }

  std::vector<PdfPage> finish() {
    xmlParseChunk(parser_.get(), nullptr, 0, 1);
    return std::move(pages_);
  }

 private:
  void begin(std::string_view name, Attributes attributes, int count) {
    const auto number = [&](const char* key) { return number_named(key, attributes, count); };
    in_word_ = name == "word";
    if (name == "page") {
      pages_.push_back({.height = number("height")});
    } else if (name == "block") {
      ++blocks_;
    } else if (name == "line" && !pages_.empty()) {
      constexpr size_t kBytesOfLine = sizeof(PdfLine);
      bytes_ += kBytesOfLine;
      pages_.back().lines.push_back({.left = number("xMin"),
                                     .top = number("yMin"),
                                     .right = number("xMax"),
                                     .bottom = number("yMax"),
                                     .block = blocks_});
    } else if (in_word_ && has_line()) {
      words_.push_back(
          {.begin = line().text.size(), .left = number("xMin"), .right = number("xMax")});
    }
  }

  void add(std::string_view text) {
    if (!in_word_ || !has_line()) return;
    // XML 1.0, which the text becomes part of, has no control characters.
    std::ranges::copy_if(text, std::back_inserter(line().text),
                         [](char c) { return static_cast<unsigned char>(c) >= ' '; });
    bytes_ += text.size();
  }

  void end(std::string_view name) {
    in_word_ = false;
    if (name != "line" || !has_line()) return;
    space_words();
    if (line().text.empty()) pages_.back().lines.pop_back();
  }

  struct Word {
    size_t begin = 0;  // in the line's text without spaces
    double left = 0;
    double right = 0;
  };

  std::string_view text_of(size_t word) const {
    const size_t begin = words_[word].begin;
    const bool is_last = word + 1 == words_.size();
    return std::string_view(line().text)
        .substr(begin, is_last ? std::string_view::npos : words_[word + 1].begin - begin);
  }

  // Puts spaces between the words of a line that has ended.
  void space_words() {
    const double width = character_width();
    std::string text;
    for (size_t i = 0; i < words_.size(); ++i) {
      constexpr double kMostSpaces = 100;
      double spaces = i == 0 ? 0 : 1;
      if (spaces > 0 && width > 0)
        spaces = std::clamp(std::round((words_[i].left - words_[i - 1].right) / width), 1.0,
                            kMostSpaces);
      text.append(static_cast<size_t>(spaces), ' ').append(text_of(i));
    }
    bytes_ += text.size() - line().text.size();
    line().text = std::move(text);
    line().character_width = width;
    words_.clear();
  }

  // 0: words differ.
  double character_width() const {
    constexpr double kMostRatio = 1.01;
    double least = std::numeric_limits<double>::max(), most = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      const auto characters = std::ranges::count_if(text_of(i), std::not_fn(continues_character));
      const double width =
          (words_[i].right - words_[i].left) / static_cast<double>(std::max(characters, long{1}));
      least = std::min(least, width);
      most = std::max(most, width);
    }
    return most > 0 && most <= kMostRatio * least ? (least + most) / 2 : 0;
  }

  bool has_line() const { return !pages_.empty() && !pages_.back().lines.empty(); }
  PdfLine& line() { return pages_.back().lines.back(); }
  const PdfLine& line() const { return pages_.back().lines.back(); }

  const size_t most_bytes_;
  size_t bytes_ = 0;
  size_t blocks_ = 0;
  bool in_word_ = false;
  std::vector<PdfPage> pages_;
  std::vector<Word> words_;  // of the last line
  std::unique_ptr<xmlParserCtxt, void (*)(xmlParserCtxt*)> parser_;
};

void check_beginning(std::string_view bytes) {
  constexpr size_t kMostBefore = 1024;  // of other bytes, which readers of PDF accept
  if (bytes.substr(0, kMostBefore).find("%PDF-") == bytes.npos)
    throw DataError("the file is not a PDF: it does not begin with %PDF-");
}

}  // namespace

bool can_read_pdf() { return !pdftotext().empty(); }

std::vector<PdfPage> pdf_pages(std::string_view bytes, const DocumentLimits& limits) {
  constexpr uint64_t kMostMemory = uint64_t{2} << 30;
  constexpr std::chrono::seconds kMostTime(60);
  check_beginning(bytes);
  if (!can_read_pdf())
    throw DataError("this server cannot read PDF: it lacks the program pdftotext (poppler-utils)");
  Layout layout(limits.bytes);
  const ChildProgram program = {
      .words = {pdftotext(), "-q", "-enc", "UTF-8", "-bbox-layout", "/dev/stdin", "-"},
      .input = bytes,
      .most_memory = kMostMemory,
      .most_time = kMostTime,
      .is_silent = true};
  const int code = run_child(program, [&layout](std::string_view piece) { layout.read(piece); });
  if (code < 0) throw DocumentTooLargeError("the PDF takes too much time or memory to read");
  if (code > 0)
    throw DataError("the PDF cannot be read: it is damaged, or protected with a password");
  return layout.finish();
}

}  // namespace dietmt::service
