#include "service/documents/pages/markdown_reader.h"

#include <md4c.h>

#include <algorithm>
#include <new>
#include <utility>

#include "service/documents/document.h"
#include "service/documents/pages/markdown_source.h"

namespace dietmt::service {
namespace {

using Kind = MarkdownEvent::Kind;
using Span = MarkdownEvent::Span;

Span span_of(MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_EM:
      return Span::kEmphasis;
    case MD_SPAN_STRONG:
      return Span::kStrong;
    case MD_SPAN_DEL:
      return Span::kStrike;
    case MD_SPAN_A:
      return Span::kLink;
    case MD_SPAN_IMG:
      return Span::kImage;
    case MD_SPAN_CODE:
      return Span::kCode;
    default:
      return Span::kNone;
  }
}

Kind kind_of(MD_TEXTTYPE type) {
  switch (type) {
    case MD_TEXT_ENTITY:
      return Kind::kEntity;
    case MD_TEXT_HTML:
      return Kind::kHtml;
    case MD_TEXT_CODE:
      return Kind::kCode;
    case MD_TEXT_SOFTBR:
      return Kind::kSoftBreak;
    case MD_TEXT_BR:
      return Kind::kHardBreak;
    default:
      return Kind::kText;
  }
}

class Reader {
 public:
  explicit Reader(std::string_view source)
      : source_(source), most_cells_(1000 + 16 * std::ranges::count_if(source, [](char c) {
                                              return c == '|' || c == '\n';
                                            })) {}

  std::vector<MarkdownBlock> read() {
    parse(MD_DIALECT_GITHUB);
    flush();
    return with_components();
  }

  std::vector<int> structure() {
    read();
    std::ranges::sort(spans_);
    return std::move(spans_);
  }

 private:
  void parse(unsigned flags) {
    MD_PARSER parser{};
    parser.flags = flags;
    parser.enter_block = [](MD_BLOCKTYPE type, void* /*detail*/, void* self) {
      return static_cast<Reader*>(self)->pass_block(type, true);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void* /*detail*/, void* self) {
      return static_cast<Reader*>(self)->pass_block(type, false);
    };
    parser.enter_span = [](MD_SPANTYPE type, void* /*detail*/, void* self) {
      return static_cast<Reader*>(self)->pass_span(type, Kind::kEnter);
    };
    parser.leave_span = [](MD_SPANTYPE type, void* /*detail*/, void* self) {
      return static_cast<Reader*>(self)->pass_span(type, Kind::kLeave);
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<Reader*>(self)->pass_text(type, text, size);
    };
    const std::string& text = source_.text();
    const int outcome = md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, this);
    if (outcome == kTooManyCells)
      throw DocumentTooLargeError("a table has far more columns than its rows have cells");
    if (outcome != 0) throw std::bad_alloc();
  }

  int pass_block(MD_BLOCKTYPE type, bool enters) {
    flush();
    block_.is_code = enters && type == MD_BLOCK_CODE;
    block_.is_html = enters && type == MD_BLOCK_HTML;
    block_.is_cell = enters && (type == MD_BLOCK_TH || type == MD_BLOCK_TD);
    block_.is_heading = enters && type == MD_BLOCK_H;
    if (block_.is_cell && ++cells_ > most_cells_) return kTooManyCells;
    if (enters) spans_.push_back(1000 + static_cast<int>(type));
    return 0;
  }

  int pass_span(MD_SPANTYPE type, Kind kind) {
    if (kind == Kind::kEnter) spans_.push_back(static_cast<int>(type));
    block_.events.push_back({kind, span_of(type), std::string::npos, std::string::npos});
    return 0;
  }

  int pass_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size) {
    const std::string& all = source_.text();
    MarkdownEvent event{kind_of(type), Span::kNone, std::string::npos, std::string::npos};
    if (std::less_equal<>()(all.data(), text) && std::less<>()(text, all.data() + all.size())) {
      const auto begin = static_cast<size_t>(text - all.data());
      event.begin = source_.offset_in_source(begin);
      event.end = size > 0 ? source_.offset_in_source(begin + size - 1) + 1 : event.begin;
    }
    if (event.kind == Kind::kHtml || event.kind == Kind::kHardBreak)
      spans_.push_back(event.kind == Kind::kHtml && event.begin != std::string::npos ? 2000 : 2001);
    block_.events.push_back(event);
    return 0;
  }

  void flush() {
    if (!block_.events.empty()) blocks_.push_back(std::move(block_));
    block_ = {};
  }

  // The blocks and the tags of components between them.
  std::vector<MarkdownBlock> with_components() {
    std::vector<MarkdownBlock> all;
    auto tag = source_.tags().begin();
    const auto add_tags = [&](size_t end) {
      for (; tag != source_.tags().end() && tag->first < end; ++tag)
        all.push_back({.is_component = true,
                       .events = {{Kind::kHtml, Span::kNone, tag->first, tag->second}}});
    };
    for (MarkdownBlock& block : blocks_) {
      if (const size_t begin = block.extent().first; begin != std::string::npos) add_tags(begin);
      all.push_back(std::move(block));
    }
    add_tags(std::string::npos);
    return all;
  }

  static constexpr int kTooManyCells = -2;  // md4c goes on after positive numbers

  MarkdownSource source_;
  // md4c fills short rows of a table up to the number of its columns.
  const int64_t most_cells_;
  int64_t cells_ = 0;
  std::vector<MarkdownBlock> blocks_;
  MarkdownBlock block_;
  std::vector<int> spans_;
};

}  // namespace

std::pair<size_t, size_t> MarkdownBlock::extent() const {
  std::pair<size_t, size_t> bytes(std::string::npos, 0);
  for (const MarkdownEvent& event : events) {
    if (event.begin == std::string::npos) continue;
    bytes = {std::min(bytes.first, event.begin), std::max(bytes.second, event.end)};
  }
  return bytes;
}

std::vector<MarkdownBlock> markdown_blocks(std::string_view source) {
  return Reader(source).read();
}

std::vector<int> markdown_structure(std::string_view source) { return Reader(source).structure(); }

}  // namespace dietmt::service
