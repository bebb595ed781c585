#include "nmt/translation/line_coder.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/trimmed.h"
#include "data/text/copy_check.h"
#include "nmt/alignment/placeholder_syntax.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/text_shape.h"
#include "nmt/translation/line_tokens.h"

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

// [target tokens][source tokens from `first` on]
std::vector<std::vector<float>> rows_of(const std::vector<float>& attention, size_t sources,
                                        size_t first) {
  std::vector<std::vector<float>> rows;
  for (size_t at = 0; at < attention.size(); at += sources) {
    const auto row = attention.begin() + static_cast<std::ptrdiff_t>(at);
    rows.emplace_back(row + static_cast<std::ptrdiff_t>(first),
                      row + static_cast<std::ptrdiff_t>(sources));
  }
  return rows;
}

// With one column for the `ending` tokens of a source: the sum of theirs.
std::vector<float> with_one_end(const std::vector<float>& attention, size_t sources,
                                size_t ending) {
  std::vector<float> rows;
  for (size_t at = 0; at < attention.size(); at += sources + ending) {
    const auto row = attention.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = row + static_cast<std::ptrdiff_t>(sources);
    rows.insert(rows.end(), row, end);
    rows.push_back(std::accumulate(end, end + static_cast<std::ptrdiff_t>(ending), 0.0F));
  }
  return rows;
}

// Without the spaces around it, which translations do not have either.
std::string_view copied(const LineRequest& line) { return trimmed(line.text(), " "); }

void respell(std::vector<MarkedPart>& parts, const Spellings& spellings) {
  if (spellings.empty()) return;
  for (MarkedPart& part : parts)
    if (!part.is_markup) part.text = respelled(part.text, spellings);
}

void restore_mnemonic(const Mnemonic& mnemonic, LineResult& result) {
  if (mnemonic.sign == 0) return;
  const bool has_parts = !result.parts.empty();
  if (!has_parts) result.parts = {{.text = result.text}};
  if (put_back_mnemonic(mnemonic, result.parts)) result.text = join(result.parts);
  if (!has_parts) result.parts.clear();
}

// Whether a text has letters that need not be kept.
bool has_other_letters(std::string_view text, const KeptFinder& finder) {
  return std::ranges::any_of(parts_around(text, finder(text)), [](const TextPart& part) {
    return !part.is_kept && has_letter(part.text);
  });
}

// Lines without their markup have lost what must be kept already.
LineOptions without_doubles(LineOptions options) {
  if (options.markup) options.keep = {};
  return options;
}

// The vocabulary of a task such as reversing numbers has none.
bool has_letters(const data::Tokenizer& tokenizer) {
  for (int64_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const std::string piece = tokenizer.piece(static_cast<int32_t>(id));
    const bool is_special = piece.starts_with('<') && piece.ends_with('>');
    if (!is_special && has_letter(piece)) return true;
  }
  return false;
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
      search_(search),
      options_(without_doubles(std::move(options))),
      aligns_(search.alignment && model.decoder->aligns()),
      reads_letters_(has_letters(*model.source_tokenizer)),
      most_source_(model.decoder->source_limit(search)),
      document_(model.context) {
  if (!options_.languages.empty()) tags_of(options_.languages);
}

LineRequest LineCoder::prepare(std::string line, LineExtras extras) {
  LineRequest made;
  if (options_.markup) {
    made = prepare(take_out_markup(line, finder(KeptKinds::all())), std::move(extras));
    warn_of_choices(made.marked, made.extras.where);
  } else {
    made = {.extras = std::move(extras), .source = line};
    blank_edges(made.source);
    made = prepared(std::move(made));
  }
  const bool is_only_markup = is_blank(made.source) && !made.marked.marks.empty();
  if (made.is_copied ? made.marked.marks.empty() : !made.has_text && is_only_markup)
    made.untranslated = std::move(line);
  return made;
}

LineRequest LineCoder::prepare(MarkedText line, LineExtras extras) {
  blank_edges(line.text);
  return prepared({.extras = std::move(extras), .source = line.text, .marked = std::move(line)});
}

bool LineCoder::is_too_long(const std::string& line, const LineExtras& extras) {
  const LanguageChoice& choice = extras.languages.value_or(options_.languages);
  const std::string text = choice.empty() ? line : tags_of(choice).source.before(line);
  return std::ssize(text) >= most_source_ &&
         std::ssize(model_.source_tokenizer->encode(text, most_source_)) >= most_source_;
}

void LineCoder::without_mnemonic(LineRequest& line) const {
  const bool is_kept = options_.markup || options_.keep.has(Kept::kMnemonics);
  if (!is_kept || !line.marked.marks.empty()) return;
  line.mnemonic = take_out_mnemonic(line.source, mnemonic_sign_in(line.source));
  if (!line.marked.text.empty()) line.marked.text = line.source;
}

void LineCoder::put_in_usual_case(LineRequest& line) const {
  line.text_case = case_of(line.source);
  if (aligns_ && line.text_case != LineCase::kCapitals)
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
  if (options_.restores_case) put_in_usual_case(line);
  const Tags& tags = tags_of(line);
  encode(line, tags.source);
  if (line.has_text) find_terms(line, tags.source);
  complete(line, tags);
  if (!line.has_text && !line.extras.prefix.empty() && !line.extras.where.empty())
    spdlog::warn("{}: has {}, so its prefix is left out", line.extras.where,
                 line.is_copied ? "no letters and is copied" : "no text");
  return line;
}

const LineCoder::Tags& LineCoder::tags_of(const LanguageChoice& choice) {
  const auto known = tags_.find(choice);
  if (known != tags_.end()) return known->second;
  const std::string& given = choice.source_tag;
  const std::string problem = given.empty() ? "" : data::source_tag_problem(given);
  if (!problem.empty()) throw DataError(problem);
  const LanguageTags tags = choice.empty() ? LanguageTags() : model_.languages.tags(choice);
  Tags made{data::SourceTag(*model_.source_tokenizer, tags.source),
            model_.target_tokenizer->encode(tags.target)};
  return tags_.emplace(choice, std::move(made)).first->second;
}

// Without a choice, a line may begin with a tag itself.
const LineCoder::Tags& LineCoder::tags_of(const LineRequest& line) {
  const LanguageChoice& choice = line.extras.languages.value_or(options_.languages);
  if (choice.empty() && !model_.languages.is_named_in(line.source)) model_.languages.tags(choice);
  return tags_of(choice);
}

bool LineCoder::is_copied(const LineRequest& line, KeptKinds keep) const {
  const data::Glossary* const glossary = glossary_of(line.extras);
  const bool has_marks = !line.marked.marks.empty();
  return reads_letters_ &&
         !has_other_letters(line.text(), finder(has_marks ? KeptKinds() : keep)) &&
         is_visible(line.text()) && (glossary == nullptr || glossary->find(line.source).empty());
}

void LineCoder::copy(LineRequest& line) const {
  line.is_copied = true;
  line.has_text = false;
  line.request = {};
  line.untranslated = join(place_markup(line.marked, copied(line)), line.marked.spellings);
}

// A line without text gets no request.
void LineCoder::encode(LineRequest& line, const data::SourceTag& tag) const {
  const data::Tokenizer& tokenizer = *model_.source_tokenizer;
  line.request = {};
  line.is_copied = false;
  if (is_copied(line, options_.keep.without(Kept::kUnknown))) return copy(line);
  std::vector<int32_t>& ids = line.request.source;
  const bool is_aligned = aligns_ || (!line.marked.marks.empty() && aligns());
  if (is_aligned) {
    data::SpannedPieces pieces = encode_tagged_line(tokenizer, tag, line.text(), most_source_);
    ids = std::move(pieces.ids);
    line.spans = std::move(pieces.spans);
  } else {
    ids = tokenizer.encode(tag.before(line.text()), most_source_);
  }
  line.has_unknown = std::ranges::find(ids, tokenizer.unknown_id()) != ids.end();
  if (line.has_unknown && is_copied(line, options_.keep)) return copy(line);
  const std::vector<int32_t> ending = tokenizer.source_ending();
  const int64_t cut = end_line(ids, ending, most_source_, line.text().size(),
                               line.extras.where.empty() || line.pivots.empty()
                                   ? line.extras.where
                                   : line.extras.where + ", translated by the first model");
  line.cut_tokens += cut;
  line.has_text = std::ssize(ids) - std::ssize(ending) > tag.pieces();
  if (line.pivots.empty() && line.has_text) line.tokens = std::ssize(ids);
  if (!line.has_text) {
    ids.clear();
    line.untranslated = join(place_markup(line.marked, ""), line.marked.spellings);
    return;
  }
  if (!is_aligned) return;
  line.spans.resize(ids.size() - ending.size());
  line.tag_tokens = std::ranges::find_if(line.spans, [](auto span) { return span.begin >= 0; }) -
                    line.spans.begin();
  if (options_.alignment != AlignmentKind::kSoft) return;
  for (auto id = ids.begin() + line.tag_tokens; id != ids.end(); ++id)
    line.pieces.push_back(tokenizer.piece(*id));
}

const data::Glossary* LineCoder::glossary_of(const LineExtras& extras) const {
  return extras.glossary ? extras.glossary.get() : options_.glossary;
}

// Terms of a part that was cut off are wanted, but not required.
void LineCoder::find_terms(LineRequest& line, const data::SourceTag& tag) const {
  const data::Glossary* const glossary = glossary_of(line.extras);
  if (glossary == nullptr) return;
  line.terms = glossary->find(line.source);
  if (line.terms.empty() || line.cut_tokens == 0)
    line.required = line.terms;
  else
    line.required = glossary->find(
        text_of_tokens(*model_.source_tokenizer, tag, line.source,
                       line.tokens - std::ssize(model_.source_tokenizer->source_ending())));
}

// Adds what a request needs besides the tokens of its line and context.
void LineCoder::add_demands(LineRequest& line, const Tags& tags) const {
  line.request.index = line.extras.index;
  TranslationRequest& request = line.request;
  if (options_.is_last) add_prefix(line);
  request.prefix.insert(request.prefix.begin(), tags.target.begin(), tags.target.end());
  request.unscored = std::ssize(tags.target);
  if (!options_.is_last) return;
  if (!line.required.empty())
    request.constraints =
        model_.terms().constraints(line.required, search_.max_target_length(line.tokens));
}

void LineCoder::complete(LineRequest& line, const Tags& tags) {
  if (!line.has_text) {
    if (!line.is_copied) document_.end();
    return;
  }
  add_demands(line, tags);
  document_.next(line.request, most_source_);
  line.context.assign(line.request.source.begin(),
                      line.request.source.begin() + line.request.context_tokens);
  line.context_separator = line.request.context_separator;
}

// Most lines have nothing unknown, and are not read again to find that out.
KeptFinder LineCoder::finder_for(const LineRequest& line) const {
  const bool has_unknown = line.has_unknown && line.pivots.empty();
  return finder(has_unknown ? options_.keep : options_.keep.without(Kept::kUnknown));
}

std::vector<std::string> LineCoder::lost_text(const LineRequest& line,
                                              const LineResult& best) const {
  if (!line.has_text || !options_.keep.any() || !line.marked.marks.empty()) return {};
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
  const Tags& tags = tags_.at(other.extras.languages.value_or(options_.languages));
  encode(other, tags.source);
  if (!other.has_text) return other;
  find_terms(other, tags.source);
  add_demands(other, tags);
  TranslationRequest& request = other.request;
  request.source.insert(request.source.begin(), line.context.begin(), line.context.end());
  request.context_tokens = std::ssize(line.context);
  request.context_separator = line.context_separator;
  return other;
}

void LineCoder::add_prefix(LineRequest& line) const {
  const LineExtras& extras = line.extras;
  if (extras.prefix.empty()) return;
  const data::Tokenizer& tokenizer = *model_.target_tokenizer;
  const int64_t most = model_.decoder->max_target_length();
  std::vector<int32_t>& prefix = line.request.prefix;
  prefix = tokenizer.encode(extras.prefix, most);
  const bool is_cut =
      end_line(prefix, {tokenizer.end_id()}, most, extras.prefix.size(), extras.prefix_where) > 0;
  prefix.pop_back();  // end of sentence
  if (!extras.prefix_where.empty() && std::ranges::count(prefix, tokenizer.unknown_id()) > 0)
    spdlog::warn("{}: the vocabulary cannot write all of this prefix", extras.prefix_where);
  if (!is_cut) line.request.open_word = model_.prefixes().open(extras.prefix, prefix);
}

// The text of a hypothesis, in parts if the line has markup.
struct LineCoder::Decoded {
  std::string text;
  std::string cased;                // with the case of the source's words; empty: not restored
  std::vector<MarkedPart> parts;    // of the cased text, if there is one
  std::vector<WordPair> alignment;  // for AlignmentKind::kHard
};

LineCoder::Decoded LineCoder::decoded(const LineRequest& line, const Hypothesis& found) const {
  const data::Tokenizer& tokenizer = *model_.target_tokenizer;
  const bool has_marks = !line.marked.marks.empty();
  const bool pairs_words = options_.alignment == AlignmentKind::kHard;
  const bool restores_words = !line.word_cases.empty() && line.pivots.empty();
  Decoded made;
  if (found.attention.empty() || !(has_marks || pairs_words || restores_words)) {
    made.text = decode_line(tokenizer, found.ids);
    if (has_marks) made.parts = place_markup(line.marked, made.text);
    return made;
  }
  data::SpannedText target = decode_line_with_spans(tokenizer, found.ids);
  const std::vector<float> attention = with_one_end(
      found.attention, line.spans.size(), model_.source_tokenizer->source_ending().size());
  std::vector<WordPair> pairs;
  if (pairs_words || restores_words)
    pairs = align_words({line.text(), line.spans}, {target.text, target.spans}, attention);
  if (restores_words) made.cased = in_case_of_words(target.text, pairs, line.word_cases);
  const TokenizedText tokens{restores_words ? made.cased : target.text, target.spans};
  if (has_marks) made.parts = place_markup(line.marked, line.spans, tokens, attention);
  if (pairs_words) made.alignment = std::move(pairs);
  made.text = std::move(target.text);
  return made;
}

void LineCoder::advance(LineRequest& line, const LineCoder& before, const Hypothesis& best) {
  Decoded made = before.decoded(line, best);
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
  if (options_.languages.empty()) model_.languages.tags({});
  const Tags& tags = tags_of(options_.languages);
  encode(line, tags.source);
  complete(line, tags);
  if (!line.has_text && !line.extras.prefix.empty() && !line.extras.where.empty())
    spdlog::warn("{}: the first model translates it into nothing{}, so its prefix is left out",
                 line.extras.where, line.is_copied ? " that has letters" : "");
}

std::vector<LineResult> LineCoder::finish(const LineRequest& line, const NBest& found) const {
  std::vector<LineResult> results;
  if (!line.has_text) {
    LineResult& only = results.emplace_back(LineResult{.text = line.untranslated});
    if (!line.marked.marks.empty())
      only.parts = place_markup(line.marked, line.is_copied ? copied(line) : "");
    respell(only.parts, line.marked.spellings);
  }
  if (line.has_text)
    for (const Hypothesis& one : found) results.push_back(finish(line, one));
  for (LineResult& result : results) restore_mnemonic(line.mnemonic, result);
  return results;
}

LineResult LineCoder::finish(const LineRequest& line, const Hypothesis& found) const {
  const data::Tokenizer& tokenizer = *model_.target_tokenizer;
  Decoded made = decoded(line, found);
  LineResult result{.score = found.score, .token_scores = found.token_scores};
  if (!line.terms.empty()) {
    for (const data::GlossaryTerm* term : data::missing_terms(line.terms, made.text))
      result.missing_terms.push_back(term->target_text());
  }
  if (options_.check_copies) result.missing_copies = data::missing_copies(line.source, made.text);
  if (!made.cased.empty()) {
    made.text = std::move(made.cased);
  } else if (line.text_case != LineCase::kUsual) {
    made.text = in_case(made.text, line.text_case);
    for (MarkedPart& part : made.parts)
      if (!part.is_markup) part.text = in_case(part.text, line.text_case);
  }
  const Spellings& spellings = line.marked.spellings;
  if (!spellings.empty()) made.text = respelled(made.text, spellings);
  respell(made.parts, spellings);
  result.text = made.parts.empty() ? std::move(made.text) : join(made.parts);
  result.parts = std::move(made.parts);
  result.alignment = std::move(made.alignment);
  if (options_.alignment == AlignmentKind::kSoft)
    result.attention = rows_of(found.attention, line.pieces.size() + line.tag_tokens,
                               static_cast<size_t>(line.tag_tokens));
  if (options_.pieces || options_.alignment == AlignmentKind::kSoft) {
    result.pieces.reserve(found.ids.size() + 1);
    for (const int32_t id : found.ids) result.pieces.push_back(tokenizer.piece(id));
    result.pieces.push_back(tokenizer.piece(tokenizer.end_id()));
  }
  return result;
}

}  // namespace dietmt::nmt
