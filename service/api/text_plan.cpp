#include "service/api/text_plan.h"

#include <string_view>
#include <utility>

#include "data/text/sentence_splitter.h"
#include "nmt/alignment/inline_markup.h"
#include "nmt/translation/sentence_plan.h"
#include "service/documents/document.h"
#include "service/documents/markup.h"

namespace dietmt::service {
namespace {

nmt::PlanOptions plan_options(const TextOptions& options) {
  return {.language = options.split ? std::optional(options.language) : std::nullopt,
          .write = options.html ? &escape_markup : nullptr};
}

// Texts with inline markup, between block tags.
void plan_html(std::string_view html, const TextOptions& options, nmt::PlannedText& planned) {
  nmt::MarkupRemoval removal;
  Translation raw;
  bool keeps_lines = false;
  const auto flush = [&] {
    if (raw.empty()) return;
    nmt::PlanOptions plan = plan_options(options);
    plan.joins_lines = !keeps_lines;
    const size_t first = planned.sentences.size();
    nmt::plan_sentences(removal.finish(), raw, plan, planned);
    for (size_t s = first; plan.joins_lines && s < planned.sentences.size(); ++s)
      planned.sentences[s].marked = join_lines(planned.sentences[s].marked);
    raw.clear();
  };
  for (const MarkupPart& part : split_markup(html)) {
    if (part.is_text) {
      removal.add_text(resolve_references(part.raw));
    } else if (part.is_inline) {
      removal.add_mark({.text = std::string(part.raw)});
    } else {
      flush();
      planned.after.push_back({std::string(part.raw)});
      continue;
    }
    raw.push_back({std::string(part.raw)});
    keeps_lines = part.keeps_lines;
  }
  flush();
}

void plan_marked(const nmt::MarkedText& text, const TextOptions& options, nmt::KeptKinds taken_out,
                 nmt::PlannedText& planned) {
  const nmt::KeptKinds kinds = text.marks.empty() ? taken_out : nmt::KeptKinds::all();
  nmt::plan_sentences(kinds.any() ? nmt::take_out_markup(text, kinds) : text, in_source_order(text),
                      plan_options(options), planned);
}

}  // namespace

TranslatedText plan_text(const nmt::MarkedText& text, const TextOptions& options,
                         nmt::KeptKinds taken_out) {
  nmt::PlannedText planned;
  if (options.html) {
    plan_html(text.text, options, planned);
  } else if (options.split || !text.marks.empty()) {
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
  TranslatedText made;
  for (nmt::PlannedSentence& one : planned.sentences)
    static_cast<nmt::PlannedSentence&>(made.sentences.emplace_back()) = std::move(one);
  made.after = std::move(planned.after);
  return made;
}

}  // namespace dietmt::service
