#include "nmt/translation/line_coder.h"

#include <spdlog/spdlog.h>

#include <set>
#include <utility>

#include "common/error.h"
#include "common/trimmed.h"
#include "nmt/alignment/placeholder_syntax.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

bool is_blank(std::string_view text) {
  while (!text.empty() && is_space(first_character(text))) drop_first(text);
  return text.empty();
}

// Replaces white space around a text with the same number of ASCII spaces. No tokenizer makes
// pieces of those, but some do of U+0085.
void blank_edges(std::string& text) {
  const auto blank = [&](size_t at, size_t bytes) {
    if (bytes > 1) text.replace(at, bytes, bytes, ' ');
  };
  size_t begin = 0, end = text.size();
  while (begin < end) {
    const std::string_view rest = std::string_view(text).substr(begin);
    if (!is_space(first_character(rest))) break;
    const auto bytes = static_cast<size_t>(bytes_of_first(rest));
    blank(begin, bytes);
    begin += bytes;
  }
  while (begin < end) {
    const std::string_view rest = std::string_view(text).substr(0, end);
    if (!is_space(last_character(rest))) break;
    const auto bytes = static_cast<size_t>(bytes_of_last(rest));
    end -= bytes;
    blank(end, bytes);
  }
}

// A line without text has no translation that could start with its prefix.
void leave_out_prefix(LineRequest& line, std::string problem) {
  if (line.has_text || line.extras.prefix.empty()) return;
  line.prefix_problem = std::move(problem);
  if (!line.extras.where.empty())
    spdlog::warn("{}: {}, so its prefix is left out", line.extras.where, line.prefix_problem);
}

// No model should read them, and few vocabularies have them.
void drop_layout_marks(MarkedText& line) {
  std::string kept;
  auto mark = line.marks.begin();
  const auto move_marks = [&](size_t at) {
    for (; mark != line.marks.end() && mark->at <= static_cast<int32_t>(at); ++mark)
      mark->at = static_cast<int32_t>(kept.size());
  };
  for (std::string_view rest = line.text; !rest.empty(); drop_first(rest)) {
    move_marks(line.text.size() - rest.size());
    if (!is_layout_mark(first_character(rest)))
      kept += rest.substr(0, static_cast<size_t>(bytes_of_first(rest)));
  }
  move_marks(line.text.size());
  line.text = std::move(kept);
}

void warn_of_choices(const MarkedText& marked, const std::string& where) {
  if (where.empty()) return;
  for (const InlineMark& mark : marked.marks) {
    for (const MarkedPart& part : mark.parts) {
      if (!part.is_markup || !is_choice(part.text)) continue;
      spdlog::warn("{}: the messages inside a plural or select argument stay untranslated", where);
      return;
    }
  }
}

// Lines without their markup have lost what must be kept already.
LineOptions without_doubles(LineOptions options) {
  if (options.markup) options.keep = {};
  return options;
}

}  // namespace

AlignmentKind alignment_from_name(const std::string& name) {
  if (name == "none") return AlignmentKind::kNone;
  if (name == "hard") return AlignmentKind::kHard;
  if (name == "soft") return AlignmentKind::kSoft;
  throw ConfigError("alignment is '" + name + "'; possible: none, hard, soft");
}

LineCoder::LineCoder(const LoadedDecoder& model, const SearchOptions& search, LineOptions options)
    : model_(model),
      encoder_(model, search, without_doubles(std::move(options))),
      document_(model.context) {}

LineRequest LineCoder::prepare(std::string line, LineExtras extras) {
  LineRequest made;
  if (options().markup) {
    made = prepare(take_out_markup(line, finder(KeptKinds::all())), std::move(extras));
    warn_of_choices(made.marked, made.extras.where);
  } else {
    MarkedText plain{.text = line, .marks = {}};
    drop_layout_marks(plain);
    blank_edges(plain.text);
    made = prepared({.extras = std::move(extras), .source = std::move(plain.text)});
  }
  const bool is_only_markup = is_blank(made.source) && !made.marked.marks.empty();
  if (made.is_copied ? made.marked.marks.empty() : !made.has_text && is_only_markup)
    made.untranslated = std::move(line);
  return made;
}

LineRequest LineCoder::prepare(MarkedText line, LineExtras extras) {
  MarkedText read = line;
  drop_layout_marks(read);
  blank_edges(read.text);
  LineRequest made =
      prepared({.extras = std::move(extras), .source = read.text, .marked = std::move(read)});
  if (made.is_copied) {  // as it came
    made.source = line.text;
    made.marked = std::move(line);
    encoder_.copy(made);
  }
  return made;
}

void LineCoder::without_mnemonic(LineRequest& line) const {
  const bool is_kept = options().markup || options().keep.has(Kept::kMnemonics);
  if (!is_kept || !line.marked.marks.empty()) return;
  line.mnemonic = take_out_mnemonic(line.source, mnemonic_sign_in(line.source));
  if (!line.marked.text.empty()) line.marked.text = line.source;
}

void LineCoder::put_in_usual_case(LineRequest& line) const {
  line.text_case = case_of(line.source);
  if (encoder_.aligns_all() && line.text_case != LineCase::kCapitals)
    line.word_cases = cases_of_words(line.source, line.text_case, *model_.source_tokenizer);
  if (line.text_case != LineCase::kUsual) {
    line.source = in_usual_case(line.source, *model_.source_tokenizer);
  } else if (!line.word_cases.empty()) {
    line.text_case = LineCase::kWords;
    line.source = without_emphasis(line.source, line.word_cases);
  }
  if (!line.marked.text.empty()) line.marked.text = line.source;
}

LineRequest LineCoder::prepared(LineRequest line) {
  without_mnemonic(line);
  if (options().restores_case) put_in_usual_case(line);
  encoder_.encode(line, encoder_.tags_of(line));
  add_context(line);
  leave_out_prefix(
      line, line.is_copied ? "the line has no letters and is copied" : "the line has no text");
  return line;
}

void LineCoder::add_context(LineRequest& line) {
  if (!line.has_text) {
    if (!line.is_copied) document_.end();
    return;
  }
  document_.next(line.request, encoder_.most_source());
  line.context.assign(line.request.source.begin(),
                      line.request.source.begin() + line.request.context_tokens);
  line.context_separator = line.request.context_separator;
}

// Most lines have nothing unknown, and are not read again to find that out.
KeptFinder LineCoder::finder_for(const LineRequest& line) const {
  const bool has_unknown = line.has_unknown && line.pivots.empty();
  return finder(has_unknown ? options().keep : options().keep.without(Kept::kUnknown));
}

std::vector<std::string> LineCoder::lost_text(const LineRequest& line,
                                              const LineResult& best) const {
  if (!line.has_text || !options().keep.any() || !line.marked.marks.empty()) return {};
  const KeptFinder find = finder_for(line);
  const std::vector<std::string_view> kept = find(line.source);
  if (kept.empty()) return {};
  std::multiset<std::string_view> wanted(kept.begin(), kept.end());
  for (const std::string_view found : find(best.text)) {
    const auto same = wanted.find(found);
    if (same != wanted.end()) wanted.erase(same);
  }
  return {wanted.begin(), wanted.end()};
}

LineRequest LineCoder::without_kept_text(const LineRequest& line,
                                         std::span<const std::string> only) const {
  const std::set<std::string_view> wanted(only.begin(), only.end());
  const KeptFinder find = finder_for(line);
  const auto find_wanted = [&](std::string_view text) {
    std::vector<std::string_view> kept = find(text);
    if (!wanted.empty())
      std::erase_if(kept, [&](std::string_view one) { return !wanted.contains(one); });
    return kept;
  };
  LineRequest other{.extras = line.extras,
                    .marked = take_out_markup(trimmed(line.source, " \t"), find_wanted),
                    .mnemonic = line.mnemonic,
                    .text_case = line.text_case};
  other.source = other.marked.text;
  other.extras.where.clear();  // no warning twice
  encoder_.encode(other, encoder_.known_tags(other));
  if (!other.has_text) return other;
  TranslationRequest& request = other.request;
  request.source.insert(request.source.begin(), line.context.begin(), line.context.end());
  request.context_tokens = std::ssize(line.context);
  request.context_separator = line.context_separator;
  return other;
}

void LineCoder::advance(LineRequest& line, const LineCoder& before, const Hypothesis& best) {
  DecodedLine made = decoded_line(before.model_, before.options().alignment, line, best);
  if (line.marked.marks.empty()) {
    line.pivots.push_back(std::move(made.text));
  } else {
    MarkupRemoval removal;
    for (const MarkedPart& part : made.parts)
      part.is_markup ? removal.add_mark(part) : removal.add_text(part.text);
    Spellings spellings = std::move(line.marked.spellings);
    line.marked = removal.finish();
    line.marked.spellings = std::move(spellings);
    line.pivots.push_back(line.marked.text);
  }
  if (options().languages.empty()) model_.languages.tags({});
  encoder_.encode(line, encoder_.tags_of(options().languages));
  add_context(line);
  leave_out_prefix(line, line.is_copied
                             ? "the first model translates it into nothing that has letters"
                             : "the first model translates it into nothing");
}

}  // namespace dietmt::nmt
