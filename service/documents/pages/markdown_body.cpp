#include "service/documents/pages/markdown_body.h"

#include <algorithm>
#include <utility>

#include "common/trimmed.h"
#include "common/utf8.h"
#include "nmt/alignment/placeholders.h"
#include "service/documents/markup_document.h"
#include "service/documents/pages/markdown_joins.h"
#include "service/documents/pages/markdown_lines.h"
#include "service/documents/pages/markdown_runs.h"
#include "service/documents/pages/markdown_writer.h"

namespace dietmt::service {
namespace {

std::string escaped_alternative(const std::string& text) {
  return markdown_escaped(text, {}, {.is_cell = true});
}

// In any kind of quotes.
std::string escaped_title(const std::string& text) {
  std::string escaped;
  for (const char c : escaped_alternative(text)) {
    if (c == '"' || c == '\'') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

class MarkdownBody final : public MarkupDocument {
 public:
  MarkdownBody(std::string_view source, const DocumentOptions& options)
      : MarkupDocument({options.source, options.target}),
        source_(source),
        languages_({options.source, options.target}) {
    for (const MarkdownBlock& block : markdown_blocks(source)) {
      const auto [begin, end] = block.extent();
      add_definitions(begin);
      searched_ = std::max(searched_, end);
      if (block.is_code) continue;
      if (block.is_component) {
        add_component(begin, end);
      } else if (block.is_html) {
        add_html_block(block);
      } else if (const auto pieces = markdown_pieces(source, block)) {
        add_block(block, *pieces);
      }
    }
    add_definitions(source.size());
    keep_up_to(source.size());
  }

 private:
  // The titles of links that are defined between the blocks before and after.
  void add_definitions(size_t end) {
    const std::string_view text = source_.substr(0, end);
    for (size_t at = std::max(kept_, searched_), next = 0; at < text.size(); at = next) {
      next = std::min(text.find('\n', at), text.size() - 1) + 1;
      const auto title = title_of_definition(text.substr(at, next - at));
      if (!title) continue;
      keep_up_to(at + title->begin);
      const std::string words = raw(kept_, at + title->end);
      add_tag({words, {{0, words.size(), words, escaped_title}}});
      kept_ = at + title->end;
    }
  }

  void keep_up_to(size_t end) {
    keep(source_.substr(kept_, end - kept_));
    kept_ = end;
  }

  std::string raw(size_t begin, size_t end) const {
    return std::string(source_.substr(begin, end - begin));
  }

  void add_component(size_t begin, size_t end) {
    keep_up_to(begin);
    add_tag(html_tag({.raw = source_.substr(begin, end - begin),
                      .is_text = false,
                      .has_attributes = true,
                      .is_component = true},
                     languages_));
    kept_ = end;
  }

  // HTML that has its own lines, unless they begin with the marks of a quotation or a list.
  void add_html_block(const MarkdownBlock& block) {
    const auto [begin, end] = block.extent();
    if (begin == std::string::npos || begin < kept_) return;
    size_t last = begin;
    for (const MarkdownEvent& event : block.events) {
      if (event.begin == std::string::npos) continue;
      if (!trimmed(raw(last, event.begin), " \t\r\n").empty()) return;
      last = event.end;
    }
    keep_up_to(begin);
    add_html(source_.substr(begin, end - begin));
    kept_ = end;
  }

  void add_block(const MarkdownBlock& block, const std::vector<MarkdownPiece>& pieces) {
    if (pieces.empty() || pieces.front().begin < kept_) return;
    const auto is_unread = [&](const MarkdownPiece& piece) {
      return piece.kind == MarkdownPiece::Kind::kText &&
             has_component(source_.substr(piece.begin, piece.end - piece.begin));
    };
    if (is_mdx(source_.substr(pieces.front().begin)) || std::ranges::any_of(pieces, is_unread))
      return;
    keep_up_to(pieces.front().begin);
    std::vector<MarkdownPiece> line, text;  // text: lines before it
    std::optional<MarkdownPiece> line_break;
    // GitHub lets a table follow a paragraph without a blank line; md4c does not.
    const auto has_row = [&](const MarkdownPiece& piece) {
      return is_delimiter_row(source_.substr(piece.begin, piece.end - piece.begin));
    };
    const bool has_table = std::ranges::any_of(pieces, has_row);
    const auto is_fixed = [&](std::string_view text_line) {
      return is_directive(text_line) || (has_table && text_line.find('|') != text_line.npos);
    };
    const auto end_line = [&] {
      if (line.empty()) return;
      const std::string_view whole =
          source_.substr(line.front().begin, line.back().end - line.front().begin);
      const bool is_left_out = is_fixed(whole), has_label = line_label(whole) > 0;
      if (is_left_out || has_label) add_text(block, std::exchange(text, {}));
      if (is_left_out) {
        add_title_line(line);
      } else {
        if (line_break && !text.empty()) text.push_back(*line_break);
        text.insert(text.end(), line.begin(), line.end());
      }
      // The title of a note.
      if (has_label && whole.starts_with("[!")) add_text(block, std::exchange(text, {}));
      line.clear();
    };
    for (const MarkdownPiece& piece : pieces) {
      const bool is_break = piece.kind == MarkdownPiece::Kind::kSoftBreak;
      if (piece.kind == MarkdownPiece::Kind::kHardBreak) {
        end_line();
        add_text(block, std::exchange(text, {}));
      } else if (is_break) {
        end_line();
        line_break = piece;
      } else {
        line.push_back(piece);
      }
    }
    end_line();
    add_text(block, text);
  }

  // The title of an admonition in a line that is otherwise fixed.
  void add_title_line(std::vector<MarkdownPiece> line) {
    const size_t begin = line.front().begin;
    const auto title = directive_title(source_.substr(begin, line.back().end - begin));
    if (!title) return;
    line = clipped_pieces(std::move(line), begin + title->first, begin + title->second);
    add_text({.is_heading = true, .events = {}}, std::move(line));
  }

  // Pieces that follow each other, up to soft breaks, are a text.
  void add_text(const MarkdownBlock& block, std::vector<MarkdownPiece> pieces) {
    drop_fixed_ends(pieces);
    if (pieces.empty()) return;
    keep_up_to(pieces.front().begin);
    Run run;
    run.join = block.is_cell ? joined_cell : block.is_heading ? joined_heading : joined_lines;
    TranslationScopes scopes(languages_);
    size_t untranslated = pieces.size();  // the first piece of an element that is not translated
    std::vector<size_t> open;
    size_t marks = 0;
    size_t line_begin = pieces.front().begin;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const MarkdownPiece& piece = pieces[i];
      if (piece.kind == MarkdownPiece::Kind::kSoftBreak) {
        run.width = std::max(run.width, characters(line_begin, piece.begin));
        if (run.line_break.empty()) run.line_break = raw(piece.begin, piece.end);
        line_begin = piece.end;
      }
      if (piece.kind == MarkdownPiece::Kind::kHtml && raw(piece.begin, piece.end)[1] != '!') {
        const bool did = scopes.translates();
        scopes.pass(source_.substr(piece.begin, piece.end - piece.begin));
        if (did && !scopes.translates()) untranslated = i;
        if (!did && scopes.translates()) {
          add_mark_piece(run, pieces[untranslated].begin, piece.end, point(marks));
          continue;
        }
      }
      if (!scopes.translates()) {
        if (i + 1 == pieces.size())
          add_mark_piece(run, pieces[untranslated].begin, piece.end, point(marks));
        continue;
      }
      add_piece(piece, run, open, marks);
    }
    if (!run.line_break.empty())
      run.width = std::max(run.width, characters(line_begin, pieces.back().end));
    kept_ = pieces.back().end;
    add_run(std::move(run));
  }

  static std::string point(size_t& marks) { return "<g" + std::to_string(marks++) + "/>"; }

  size_t characters(size_t begin, size_t end) const {
    return static_cast<size_t>(std::ranges::count_if(
        source_.substr(begin, end - begin), [](char c) { return !continues_character(c); }));
  }

  // Identifiers of headings, and labels.
  void drop_fixed_ends(std::vector<MarkdownPiece>& pieces) {
    using Kind = MarkdownPiece::Kind;
    while (!pieces.empty() && pieces.back().kind == Kind::kSoftBreak) pieces.pop_back();
    if (pieces.empty()) return;
    MarkdownPiece& last = pieces.back();
    const std::string_view end = source_.substr(last.begin, last.end - last.begin);
    const size_t brace = end.rfind('{');
    if (last.kind == Kind::kText && end.ends_with('}') && brace != end.npos &&
        end.substr(brace).find_first_of("#.:=") == 1)
      last.end = last.begin + brace;
    MarkdownPiece& first = pieces.front();
    const size_t label = line_label(source_.substr(first.begin, first.end - first.begin));
    if (first.kind == Kind::kText && label > 0) {
      keep_up_to(first.begin + label);
      first.begin = first.text = kept_;
    }
  }

  void add_piece(const MarkdownPiece& piece, Run& run, std::vector<size_t>& open, size_t& marks) {
    using Kind = MarkdownPiece::Kind;
    switch (piece.kind) {
      case Kind::kText:
        return add_plain(piece, run);
      case Kind::kReference: {
        const std::string reference = raw(piece.begin, piece.end);
        const std::string character = resolve_references(reference, run.spellings);
        if (character == reference)
          return add_mark_piece(run, piece.begin, piece.end, point(marks));
        run.pieces.push_back({.raw = reference, .text = character});
        return;
      }
      case Kind::kSoftBreak:
        run.pieces.push_back({.raw = raw(piece.begin, piece.end), .text = "\n"});
        return;
      case Kind::kOpen:
        open.push_back(marks);
        return add_mark_piece(run, piece.begin, piece.end, "<g" + std::to_string(marks++) + ">");
      case Kind::kClose: {
        const std::string name =
            open.empty() ? point(marks) : "</g" + std::to_string(open.back()) + ">";
        if (!open.empty()) open.pop_back();
        add_mark_piece(run, piece.begin, piece.end, name);
        add_title(piece, *run.pieces.back().tag);
        if (piece.label) {
          run.pieces.back().if_same = raw(piece.begin, piece.end);
          run.pieces.back().tag->markup = "][" + raw(*piece.label, piece.begin) + "]";
        }
        return;
      }
      case Kind::kImage: {
        TextTag tag{raw(piece.begin, piece.end), {}};
        if (piece.text_end > piece.text)
          tag.values.push_back({piece.text - piece.begin, piece.text_end - piece.text,
                                raw(piece.text, piece.text_end), escaped_alternative});
        add_title(piece, tag);
        run.pieces.push_back(
            {.raw = raw(piece.begin, piece.end), .mark = point(marks), .tag = std::move(tag)});
        return;
      }
      case Kind::kHtml: {
        const MarkupPart part{.raw = source_.substr(piece.begin, piece.end - piece.begin),
                              .is_text = false,
                              .has_attributes = true};
        run.pieces.push_back({.raw = std::string(part.raw), .tag = html_tag(part, languages_)});
        return;
      }
      default:
        return add_mark_piece(run, piece.begin, piece.end, point(marks));
    }
  }

  void add_title(const MarkdownPiece& piece, TextTag& tag) const {
    if (!piece.title) return;
    const auto [begin, end] = *piece.title;
    tag.values.push_back({begin - piece.begin, end - begin, raw(begin, end), escaped_title});
  }

  void add_mark_piece(Run& run, size_t begin, size_t end, std::string mark) {
    run.pieces.push_back(
        {.raw = raw(begin, end), .mark = std::move(mark), .tag = TextTag{raw(begin, end), {}}});
  }

  // Text, in which templates and the labels of footnotes are marks. None of them begins with an
  // escaped character.
  void add_plain(const MarkdownPiece& piece, Run& run) {
    std::string_view text = source_.substr(piece.text, piece.end - piece.text);
    if (piece.begin < piece.text && !text.empty()) {
      constexpr std::string_view kSigns = "${}<>^~=@|";  // markup of extensions
      const std::string sign(1, text.front()), escaped = raw(piece.begin, piece.text + 1);
      if (kSigns.find(sign) != kSigns.npos) nmt::add_spelling(sign, escaped, run.spellings);
      run.pieces.push_back({.raw = escaped, .text = sign});
      text.remove_prefix(1);
    }
    for (const auto& [part, is_kept] : nmt::parts_around(text, markdown_kept_in(text))) {
      const std::string same(part);
      if (is_kept)
        run.pieces.push_back({.raw = same, .mark = same, .tag = TextTag{same, {}}});
      else
        run.pieces.push_back({.raw = same, .text = same});
    }
  }

  const std::string_view source_;
  const LanguagePair languages_;
  size_t kept_ = 0;      // bytes of the source that are in the document
  size_t searched_ = 0;  // bytes of blocks, which define no links
};

}  // namespace

std::unique_ptr<Document> open_markdown_body(std::string_view source,
                                             const DocumentOptions& options) {
  return std::make_unique<MarkdownBody>(source, options);
}

}  // namespace dietmt::service
