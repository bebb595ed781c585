#include "nmt/translation/line_encoder.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/text_shape.h"
#include "nmt/translation/avoided_ends.h"
#include "nmt/translation/kept_finder.h"
#include "nmt/translation/line_tokens.h"
#include "nmt/translation/prefix_encoder.h"

namespace dietmt::nmt {
namespace {

// Whether a text has letters that need not be kept.
bool has_other_letters(std::string_view text, const KeptFinder& finder) {
  return std::ranges::any_of(parts_around(text, finder(text)), [](const TextPart& part) {
    return !part.is_kept && has_letter(part.text);
  });
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

LineEncoder::LineEncoder(const LoadedDecoder& model, const SearchOptions& search,
                         LineOptions options)
    : model_(model),
      search_(search),
      options_(std::move(options)),
      aligns_(search.alignment && model.decoder->aligns()),
      reads_letters_(has_letters(*model.source_tokenizer)),
      most_source_(model.decoder->source_limit(search)),
      avoided_(avoided_texts(options_.avoid)) {
  if (!options_.languages.empty()) tags_of(options_.languages);
}

const LanguageChoice& LineEncoder::languages_of(const LineExtras& extras) const {
  return extras.languages.has_value() ? *extras.languages : options_.languages;
}

const LineEncoder::Tags& LineEncoder::tags_of(const LanguageChoice& choice) {
  const auto known = tags_.find(choice);
  if (known != tags_.end()) return known->second;
  const std::string& given = choice.source_tag;
  const std::string problem = given.empty() ? "" : data::source_tag_problem(given);
  if (!problem.empty()) throw DataError(problem);
  const LanguageTags tags =
      choice.empty() ? model_.languages.always : model_.languages.tags(choice);
  Tags made{data::SourceTag(*model_.source_tokenizer, tags.source),
            model_.target_tokenizer->encode(tags.target)};
  return tags_.emplace(choice, std::move(made)).first->second;
}

const LineEncoder::Tags& LineEncoder::tags_of(const LineRequest& line) {
  const LanguageChoice& choice = languages_of(line.extras);
  if (choice.empty() && !model_.languages.is_named_in(line.source)) model_.languages.tags(choice);
  return tags_of(choice);
}

bool LineEncoder::is_too_long(const std::string& line, const LineExtras& extras) {
  const LanguageChoice& choice = languages_of(extras);
  const std::string text = choice.empty() ? line : tags_of(choice).source.before(line);
  return std::ssize(text) >= most_source_ &&
         std::ssize(model_.source_tokenizer->encode(text, most_source_)) >= most_source_;
}

void LineEncoder::encode(LineRequest& line, const Tags& tags) const {
  add_tokens(line, tags.source);
  if (!line.has_text) return;
  if (line.pivots.empty()) find_terms(line, tags.source);
  add_demands(line, tags);
}

bool LineEncoder::is_copied(const LineRequest& line, KeptKinds keep) const {
  const data::Glossary* const glossary = glossary_of(line.extras);
  const bool has_marks = !line.marked.marks.empty();
  return reads_letters_ &&
         !has_other_letters(line.text(), KeptFinder(model_.source_tokenizer.get(),
                                                    has_marks ? KeptKinds() : keep)) &&
         is_visible(line.text()) && (glossary == nullptr || glossary->find(line.source).empty());
}

void LineEncoder::copy(LineRequest& line) const {
  line.is_copied = true;
  line.has_text = false;
  line.request = {};
  line.untranslated = join(place_markup(line.marked, line.copied()), line.marked.spellings);
}

void LineEncoder::add_tokens(LineRequest& line, const data::SourceTag& tag) const {
  const data::Tokenizer& tokenizer = *model_.source_tokenizer;
  line.request = {};
  line.is_copied = false;
  if (is_copied(line, options_.keep.without(Kept::kUnknown))) return copy(line);
  std::vector<int32_t>& ids = line.request.source;
  const bool is_aligned = aligns_ || (!line.marked.marks.empty() && model_.decoder->aligns());
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
  line.request.text = line.text();
  if (!is_aligned) return;
  line.spans.resize(ids.size() - ending.size());
  line.tag_tokens = std::ranges::find_if(line.spans, [](auto span) { return span.begin >= 0; }) -
                    line.spans.begin();
  if (options_.alignment != AlignmentKind::kSoft) return;
  for (auto id = ids.begin() + line.tag_tokens; id != ids.end(); ++id)
    line.pieces.push_back(tokenizer.piece(*id));
}

const data::Glossary* LineEncoder::glossary_of(const LineExtras& extras) const {
  return extras.glossary ? extras.glossary.get() : options_.glossary;
}

void LineEncoder::find_terms(LineRequest& line, const data::SourceTag& tag) const {
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

void LineEncoder::add_demands(LineRequest& line, const Tags& tags) const {
  line.request.index = line.extras.index;
  TranslationRequest& request = line.request;
  if (options_.is_last) add_prefix(line);
  request.prefix.insert(request.prefix.begin(), tags.target.begin(), tags.target.end());
  request.unscored = std::ssize(tags.target);
  request.suppressed = model_.suppressed;
  if (!options_.is_last) return;
  request.avoided = avoided_;
  if (!line.extras.avoid.empty()) {
    std::vector<std::string> all = options_.avoid;
    all.insert(all.end(), line.extras.avoid.begin(), line.extras.avoid.end());
    request.avoided = avoided_texts(all);
  }
  if (!line.required.empty())
    request.constraints =
        model_.terms().constraints(line.required, search_.max_target_length(line.tokens));
}

std::shared_ptr<const AvoidedTexts> LineEncoder::avoided_texts(
    const std::vector<std::string>& texts) const {
  if (texts.empty() || !options_.is_last) return nullptr;
  return std::make_shared<const AvoidedTexts>(model_.pieces().tokenizer(),
                                              ends_of(texts, model_.pieces()));
}

void LineEncoder::add_prefix(LineRequest& line) const {
  const LineExtras& extras = line.extras;
  if (extras.prefix.empty()) return;
  const data::Tokenizer& tokenizer = *model_.target_tokenizer;
  const int64_t most = model_.decoder->max_target_length();
  std::vector<int32_t>& prefix = line.request.prefix;
  prefix = tokenizer.encode(extras.prefix, most);
  const bool is_cut =
      end_line(prefix, {tokenizer.end_id()}, most, extras.prefix.size(), extras.prefix_where) > 0;
  prefix.pop_back();  // end of sentence
  if (std::ranges::count(prefix, tokenizer.unknown_id()) > 0) {
    line.prefix_problem = "the vocabulary cannot write all of it";
    if (!extras.prefix_where.empty())
      spdlog::warn("{}: the vocabulary cannot write all of this prefix", extras.prefix_where);
  } else if (is_cut) {
    line.prefix_problem = "it is longer than a translation may be";
  }
  if (!is_cut) line.request.open_word = open_word(extras.prefix, model_.pieces(), prefix);
}

}  // namespace dietmt::nmt
