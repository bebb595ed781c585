#include "service/documents/values_document.h"

#include <algorithm>
#include <utility>

#include "service/documents/document_bytes.h"
#include "service/documents/kept_signs.h"
#include "service/documents/placeholders.h"

namespace dietmt::service {

ValuesDocument::ValuesDocument(std::string_view bytes, std::optional<LanguagePair> languages,
                               const std::string& charset)
    : beginning_(bytes.substr(0, 4)),
      text_(text_of_bytes(bytes, charset, languages.value_or(LanguagePair()).source)),
      languages_(std::move(languages)) {}

std::string ValuesDocument::translated(const std::vector<Translation>& translations) {
  translations_ = &translations;
  return encoded_like(beginning_, PlacesDocument::translated(translations));
}

void ValuesDocument::add_value(size_t begin, size_t end, nmt::MarkedText text, Encode encode) {
  if (begin < kept_) return;
  const bool is_new = begin == end, has_tags = !text.marks.empty();
  if (!has_tags && add_message(begin, end, text.text, encode)) return;
  const std::string raw =
      is_new && !has_tags ? encode(text.text) : text_.substr(begin, end - begin);
  if (!has_tags) text = with_marks(text.text, kept_parts_in(text.text, nullptr));
  replace(begin, begin, "");
  if (add(std::move(text)))
    values_.push_back({is_new ? "" : raw, std::move(encode), has_tags});
  else
    keep(raw);
  kept_ = end;
}

bool ValuesDocument::add_message(size_t begin, size_t end, const std::string& text, Encode encode) {
  if (!languages_ || text.find('{') == text.npos) return false;
  const bool is_new = begin == end;
  const std::string raw = is_new ? encode(text) : text_.substr(begin, end - begin);
  if (!forms_) forms_.emplace(languages_->source, languages_->target);
  auto message = MessageSentences::read(text, *forms_, segments_);
  if (!message) {
    const Choices choices = choices_in(text);
    unread_messages_ += choices != Choices::kNone ? 1 : 0;
    if (choices != Choices::kBroken) return false;
    replace(begin, begin, "");
    keep(raw);
    kept_ = end;
    return true;
  }
  replace(begin, begin, "");
  kept_ = end;
  if (message->size() == 0) {
    keep(raw);
    return true;
  }
  values_.resize(segments_.size());
  add_place({message->first_segment(), "", ""});
  values_[message->first_segment()] = {
      .raw = raw, .encode = std::move(encode), .message = std::move(message)};
  return true;
}

void ValuesDocument::replace(size_t begin, size_t end, std::string_view by) {
  if (begin < kept_) return;
  keep(std::string_view(text_).substr(kept_, begin - kept_));
  keep(by);
  kept_ = end;
}

size_t ValuesDocument::model_of(const std::vector<PluralForm>& forms) {
  const auto other = std::ranges::find(forms, "other", &PluralForm::category);
  return other != forms.end() ? static_cast<size_t>(other - forms.begin()) : forms.size() - 1;
}

void ValuesDocument::add_missing_forms(const std::vector<PluralForm>& forms,
                                       const std::vector<std::string>& wanted, std::string_view gap,
                                       size_t at, const std::function<void(size_t form)>& add) {
  const size_t number = model_of(forms);
  const PluralForm& model = forms[number];
  const size_t name_end = model.category_at + model.category.size();
  for (const std::string& category : wanted) {
    if (std::ranges::find(forms, category, &PluralForm::category) != forms.end()) continue;
    replace(at, at,
            std::string(gap) + text_.substr(model.begin, model.category_at - model.begin) +
                category + text_.substr(name_end, model.value - name_end));
    add(number);
    replace(at, at, text_.substr(model.value_end, model.end - model.value_end));
  }
}

void ValuesDocument::finish() {
  replace(text_.size(), text_.size(), "");
  text_ = {};
  leave_out_choices(unread_messages_);
}

void ValuesDocument::fail(size_t at, const std::string& problem) const {
  fail_at(text_, at, problem);
}

std::string ValuesDocument::written(const SegmentPlace& place, const Translation& translation) {
  const Value& value = values_.at(place.segment);
  if (value.message) return written_message(value);
  const nmt::MarkedText& segment = segments_[place.segment];
  const Translation source = in_source_order(segment);
  const bool is_kept =
      keeps_placeholders(translation, segment) && keeps_order(translation, segment);
  refused_ += is_kept ? 0 : 1;
  if ((!is_kept || says_the_same(translation, source)) && !value.raw.empty()) return value.raw;
  std::string result, text = place.before;
  for (const nmt::MarkedPart& part : is_kept ? translation : source) {
    const bool is_tag = part.mark >= 0 && value.has_tags;
    if (is_tag && !text.empty()) result += value.encode(std::exchange(text, {}));
    const std::string& written =
        part.mark < 0 ? part.text
                      : segment.marks[static_cast<size_t>(part.mark)].parts.front().text;
    (is_tag ? result : text) += written;
  }
  text += place.after;
  return text.empty() ? result : result + value.encode(text);
}

std::string ValuesDocument::written_message(const Value& value) {
  const MessageSentences& message = *value.message;
  bool is_same = true;
  for (size_t i = message.first_segment(); i < message.first_segment() + message.size(); ++i)
    is_same = is_same && says_the_same(translations_->at(i), in_source_order(segments_[i]));
  if (is_same) return value.raw;
  const auto text = message.with(*translations_, segments_);
  if (!text) refused_ += message.size();
  return text ? value.encode(*text) : value.raw;
}

}  // namespace dietmt::service
