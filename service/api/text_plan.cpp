#include "service/api/text_plan.h"

#include <string_view>
#include <utility>

#include "data/text/sentence_splitter.h"
#include "nmt/alignment/inline_markup.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/translation/sentence_plan.h"
#include "service/documents/document.h"
#include "service/documents/html_attributes.h"
#include "service/documents/markup.h"

namespace dietmt::service {
namespace {

nmt::PlanOptions plan_options(const TextOptions& options) {
  return {.language = options.split ? std::optional(options.language) : std::nullopt};
}

// HTML as texts with inline markup, between block tags.
class HtmlPlanner {
 public:
  HtmlPlanner(const TextOptions& options, const nmt::KeptFinder& find, TranslatedText& made)
      : options_(options),
        find_(find.of((nmt::KeptKinds(nmt::Kept::kSymbols) | nmt::Kept::kUnknown) &
                      options.line.keep)),
        made_(made) {}

  void add(std::string_view html) {
    const LanguagePair languages{options_.language, options_.target};
    for (const MarkupPart& part : split_markup(html, languages)) {
      if (part.is_text) {
        add_text(resolve_references(part.raw, spellings_));
        raw_.push_back({std::string(part.raw)});
      } else {
        const nmt::MarkedPart tag = planned_tag(html_tag(part, languages));
        if (!part.is_inline) {
          flush();
          planned_.after.push_back(tag);
          continue;
        }
        removal_.add_mark(tag);
        raw_.push_back(tag);
      }
      keeps_lines_ = part.keeps_lines;
    }
    flush();
    made_.after = std::move(planned_.after);
  }

 private:
  void add_text(const std::string& text) {
    for (const auto& [part, is_kept] : nmt::parts_around(text, find_(text))) {
      if (is_kept)
        removal_.add_mark({.text = std::string(part)});
      else
        removal_.add_text(part);
    }
  }

  nmt::MarkedPart planned_tag(TextTag tag) {
    nmt::MarkedPart part{.text = tag.markup, .is_markup = true};
    if (tag.values.empty()) return part;
    part.mark = static_cast<int32_t>(made_.tags.size());
    made_.tags.push_back(std::move(tag));
    return part;
  }

  // Plans the text read so far, and then the attributes of all tags up to here.
  void flush() {
    if (!raw_.empty()) {
      nmt::PlanOptions plan = plan_options(options_);
      plan.joins_lines = !keeps_lines_;
      nmt::MarkedText text = removal_.finish();
      text.spellings = nmt::basic_spellings();
      text.spellings.insert(text.spellings.end(), spellings_.begin(), spellings_.end());
      nmt::plan_sentences(std::move(text), raw_, plan, planned_);
      if (plan.joins_lines)
        for (nmt::PlannedSentence& one : planned_.sentences) one.marked = join_lines(one.marked);
      take_sentences(planned_, {});
      raw_.clear();
      spellings_.clear();
    }
    for (; tag_ < made_.tags.size(); ++tag_) {
      for (size_t v = 0; v < made_.tags[tag_].values.size(); ++v) plan_attribute(v);
    }
  }

  void plan_attribute(size_t value) {
    const std::string& text = made_.tags[tag_].values[value].text;
    nmt::PlannedText attribute;
    nmt::plan_sentences({.text = text, .marks = {}}, {{text}}, plan_options(options_), attribute);
    if (attribute.sentences.empty()) return;
    take_sentences(attribute, made_.attributes.size());
    made_.attributes.push_back({tag_, value, std::move(attribute.after)});
  }

  void take_sentences(nmt::PlannedText& planned, std::optional<size_t> attribute) {
    for (nmt::PlannedSentence& one : planned.sentences) {
      TranslatedSentence& sentence = made_.sentences.emplace_back();
      static_cast<nmt::PlannedSentence&>(sentence) = std::move(one);
      sentence.attribute = attribute;
    }
    planned.sentences.clear();
  }

  const TextOptions& options_;
  const nmt::KeptFinder find_;
  TranslatedText& made_;
  nmt::PlannedText planned_;  // its sentences go to made_
  nmt::MarkupRemoval removal_;
  nmt::Spellings spellings_;
  Translation raw_;  // what the removal has
  bool keeps_lines_ = false;
  size_t tag_ = 0;  // earlier ones are planned
};

void plan_marked(const nmt::MarkedText& text, const TextOptions& options,
                 const nmt::KeptFinder& taken_out, nmt::PlannedText& planned) {
  const nmt::KeptFinder find = text.marks.empty() ? taken_out : taken_out.of(nmt::KeptKinds::all());
  nmt::plan_sentences(find.kinds().any() ? nmt::take_out_markup(text, find) : text,
                      in_source_order(text), plan_options(options), planned);
}

}  // namespace

TranslatedText plan_text(const nmt::MarkedText& text, const TextOptions& options,
                         const nmt::KeptFinder& taken_out) {
  TranslatedText made;
  if (options.html) {
    HtmlPlanner(options, taken_out, made).add(text.text);
    return made;
  }
  nmt::PlannedText planned;
  if (options.split || !text.marks.empty()) {
    plan_marked(text, options, taken_out, planned);
  } else {
    // Removing markup also removes white space, so that around the line is set aside first.
    const data::SplitText line = data::one_sentence(text.text);
    for (const data::SentencePiece& piece : line.pieces) {
      planned.after.push_back({std::string(piece.before)});
      plan_marked({.text = std::string(piece.sentence), .marks = {}}, options, taken_out, planned);
    }
    planned.after.push_back({std::string(line.after)});
  }
  for (nmt::PlannedSentence& one : planned.sentences)
    static_cast<nmt::PlannedSentence&>(made.sentences.emplace_back()) = std::move(one);
  made.after = std::move(planned.after);
  return made;
}

}  // namespace dietmt::service
