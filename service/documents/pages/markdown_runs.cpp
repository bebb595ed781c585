#include "service/documents/pages/markdown_runs.h"

#include <algorithm>
#include <span>

#include "service/documents/pages/markdown_links.h"

namespace dietmt::service {
namespace {

using Kind = MarkdownEvent::Kind;
using Span = MarkdownEvent::Span;
using Piece = MarkdownPiece;

constexpr size_t kNone = std::string::npos;

class PieceReader {
 public:
  PieceReader(std::string_view source, const MarkdownBlock& block)
      : source_(source), events_(block.events), places_(block.events.size() + 1, source.size()) {
    for (size_t i = events_.size(); i > 0; --i)
      places_[i - 1] = has_place(events_[i - 1]) ? events_[i - 1].begin : places_[i];
  }

  std::optional<std::vector<Piece>> read() {
    if (!find_start()) return std::nullopt;
    for (next_ = 0; next_ < events_.size();)
      if (!read_event()) return std::nullopt;
    return std::move(pieces_);
  }

 private:
  static bool has_place(const MarkdownEvent& event) { return event.begin != kNone; }

  char at(size_t offset) const { return offset < source_.size() ? source_[offset] : '\0'; }

  // Goes back from the first text over the markup before it.
  bool find_start() {
    const auto first = std::ranges::find_if(events_, has_place);
    if (first == events_.end()) return false;
    at_ = first->begin;
    if (at_ > 0 && at(at_ - 1) == '\\' && first->kind == Kind::kText) --at_;
    bool ends_empty = false;
    for (auto event = first; event != events_.begin();) {
      --event;
      if (event->kind != Kind::kEnter) ends_empty = true;  // as in [![](a) b](c)
      if (ends_empty || !go_back_over(event->span)) return false;
    }
    return true;
  }

  bool go_back_over(Span span) {
    const auto back = [&](std::string_view marks) {
      if (at_ == 0 || marks.find(at(at_ - 1)) == marks.npos) return false;
      --at_;
      return true;
    };
    switch (span) {
      case Span::kEmphasis:
        return back("*_");
      case Span::kStrong:
        return back("*_") && back("*_");
      case Span::kStrike:
        if (!back("~")) return false;
        back("~");
        return true;
      case Span::kImage:
        return back("[") && back("!");
      case Span::kLink:
        back("[<");
        return true;
      case Span::kCode:
        if (at_ == 0) return false;
        if (at(at_ - 1) != '`') --at_;  // a space or a line break
        if (!back("`")) return false;
        while (back("`")) {
        }
        return true;
      default:
        return false;
    }
  }

  Piece& add(Piece::Kind kind, size_t end) {
    pieces_.push_back({kind, at_, end, at_, end, {}});
    at_ = end;
    return pieces_.back();
  }

  bool read_event() {
    const MarkdownEvent& event = events_[next_++];
    switch (event.kind) {
      case Kind::kEnter:
        return read_start(event.span);
      case Kind::kLeave:
        return read_end(event.span);
      case Kind::kSoftBreak:
      case Kind::kHardBreak:
        return read_break(event.kind);
      case Kind::kHtml:
        return read_html(event);
      case Kind::kText:
      case Kind::kEntity:
        return read_text(event);
      default:
        return false;  // code outside of a span
    }
  }

  bool read_text(const MarkdownEvent& event) {
    if (!has_place(event)) return false;
    const bool is_escaped = event.begin == at_ + 1 && at(at_) == '\\';
    if (event.begin != at_ && !is_escaped) return false;
    add(event.kind == Kind::kEntity ? Piece::Kind::kReference : Piece::Kind::kText, event.end)
        .text = event.begin;
    return true;
  }

  // A tag may run over lines; each line is an event.
  bool read_html(const MarkdownEvent& event) {
    if (!has_place(event) || event.begin != at_) return false;
    size_t end = event.end;
    if (at(event.begin) == '<')
      for (; next_ < events_.size() && events_[next_].kind == Kind::kHtml; ++next_) {
        if (!has_place(events_[next_])) continue;
        const bool continues = source_[end - 1] != '>';
        if (!continues) break;
        end = events_[next_].end;
      }
    add(Piece::Kind::kHtml, end);
    return true;
  }

  bool read_break(Kind kind) {
    size_t end = at_;
    while (at(end) == ' ' || at(end) == '\t') ++end;
    if (kind == Kind::kHardBreak && at(end) == '\\') ++end;
    if (at(end) == '\r') ++end;
    if (at(end) != '\n') return false;
    ++end;
    const size_t next = next_place();
    while (end < next && (at(end) == ' ' || at(end) == '\t' || at(end) == '>')) ++end;
    add(kind == Kind::kSoftBreak ? Piece::Kind::kSoftBreak : Piece::Kind::kHardBreak, end);
    return true;
  }

  // Where the next text is.
  size_t next_place() const { return places_[std::min(next_, events_.size())]; }

  std::string_view before_next() const { return source_.substr(0, next_place()); }

  bool skips(std::string_view marks, size_t& end) const {
    if (end >= source_.size() || marks.find(at(end)) == marks.npos) return false;
    ++end;
    return true;
  }

  // The marks at the beginning or the end of emphasis; both are the same.
  bool read_emphasis(Span span, Piece::Kind kind) {
    size_t end = at_;
    switch (span) {
      case Span::kEmphasis:
        if (!skips("*_", end)) return false;
        break;
      case Span::kStrong:
        if (!skips("*_", end) || !skips("*_", end)) return false;
        break;
      case Span::kStrike:
        if (!skips("~", end)) return false;
        skips("~", end);
        break;
      default:
        return false;
    }
    add(kind, end);
    return true;
  }

  bool read_start(Span span) {
    switch (span) {
      case Span::kLink:
        if (at(at_) != '[') return read_address();
        links_.push_back(at_ + 1);
        add(Piece::Kind::kOpen, at_ + 1);
        return true;
      case Span::kImage:
        return read_image();
      case Span::kCode:
        return read_code();
      default:
        return read_emphasis(span, Piece::Kind::kOpen);
    }
  }

  bool read_end(Span span) {
    return span == Span::kLink ? read_link_end() : read_emphasis(span, Piece::Kind::kClose);
  }

  // <https://example.org> or https://example.org.
  bool read_address() {
    const bool is_marked = at(at_) == '<';
    if (next_ + 1 >= events_.size() || !has_place(events_[next_]) ||
        events_[next_].begin != at_ + (is_marked ? 1 : 0))
      return false;
    size_t end = at_;
    for (; next_ < events_.size() && events_[next_].kind != Kind::kLeave; ++next_)
      if (has_place(events_[next_])) end = events_[next_].end;
    ++next_;
    add(Piece::Kind::kCode, end + (is_marked ? 1 : 0));
    return true;
  }

  bool read_code() {
    const size_t first = std::min(source_.find_first_not_of('`', at_), source_.size());
    const size_t marks = first - at_;
    if (marks == 0) return false;
    size_t end = first;
    while (true) {
      end = source_.find('`', end);
      if (end == kNone) return false;
      const size_t after = std::min(source_.find_first_not_of('`', end), source_.size());
      const size_t count = after - end;
      end = after;
      if (count == marks) break;
    }
    for (; next_ < events_.size() && events_[next_].kind != Kind::kLeave; ++next_) {
    }
    ++next_;
    add(Piece::Kind::kCode, end);
    return true;
  }

  bool read_link_end() {
    const auto target = link_target(before_next(), at_);
    if (!target || links_.empty()) return false;
    Piece& piece = add(Piece::Kind::kClose, target->end);
    piece.title = target->title;
    if (target->is_label) piece.label = links_.back();
    links_.pop_back();
    return true;
  }

  bool read_image() {
    if (at(at_) != '!' || at(at_ + 1) != '[') return false;
    const size_t begin = at_ + 2;
    size_t last = begin, depth = 1;
    bool is_plain = true;
    for (; next_ < events_.size() && depth > 0; ++next_) {
      const MarkdownEvent& event = events_[next_];
      if (event.span == Span::kImage) depth += event.kind == Kind::kEnter ? 1 : -1;
      if (depth == 0) continue;
      is_plain = is_plain && event.kind == Kind::kText;
      if (has_place(event)) last = event.end;
    }
    size_t bracket = last;
    if (!is_plain) bracket = end_of_brackets(source_, at_ + 1, '[', ']') - 1;
    const auto target =
        bracket < source_.size() ? link_target(before_next(), bracket) : std::nullopt;
    if (!target) return false;
    Piece& piece = add(Piece::Kind::kImage, target->end);
    piece.title = target->title;
    piece.text = piece.text_end = begin;
    if (is_plain && !target->is_label) piece.text_end = bracket;
    return true;
  }

  std::string_view source_;
  const std::vector<MarkdownEvent>& events_;
  std::vector<size_t> places_;  // by event, where the next one with a place begins
  size_t next_ = 0;
  size_t at_ = 0;              // earlier bytes are in pieces
  std::vector<size_t> links_;  // where the texts of open links begin
  std::vector<Piece> pieces_;
};

}  // namespace

std::optional<std::vector<MarkdownPiece>> markdown_pieces(std::string_view source,
                                                          const MarkdownBlock& block) {
  return PieceReader(source, block).read();
}

std::vector<MarkdownPiece> clipped_pieces(std::vector<MarkdownPiece> pieces, size_t begin,
                                          size_t end) {
  std::erase_if(pieces,
                [&](const Piece& piece) { return piece.end <= begin || piece.begin >= end; });
  for (Piece& piece : pieces) {
    if (piece.kind != Piece::Kind::kText) continue;
    piece.begin = std::max(piece.begin, begin);
    piece.text = std::max(piece.text, piece.begin);
    piece.end = std::min(piece.end, end);
  }
  return pieces;
}

}  // namespace dietmt::service
