#include "service/api/sentence_stream.h"

#include <algorithm>
#include <utility>

#include "service/api/text_plan.h"

namespace dietmt::service {
namespace {

// The first sentences come soon, the others in groups that fill a batch.
constexpr size_t kLargestGroup = 32;

std::vector<std::string> parts_of(const std::string& text, const TextOptions& options) {
  // Without kinds, nothing is taken out of the parts.
  const TranslatedText planned = plan_text({.text = text, .marks = {}}, options, {nullptr, {}});
  std::vector<std::string> parts;
  for (const TranslatedSentence& sentence : planned.sentences)
    parts.push_back(nmt::join(sentence.before) + sentence.marked.text);
  if (parts.empty()) parts.emplace_back();
  parts.back() += nmt::join(planned.after);
  return parts;
}

}  // namespace

SentenceStream::SentenceStream(TranslationCall call, ServiceContext& service, Patience patience)
    : call_(std::move(call)), service_(service), patience_(std::move(patience)) {
  service_.check_size(call_.texts);
  const std::string text = std::exchange(call_.texts.front(), "");
  const LanguagePairs& pairs = service_.pairs;
  if (call_.detects() && !call_.model) {
    const auto found = pairs.detect_source(text, pairs.sources_of(call_.target));
    if (pairs.has_path(found.code, call_.target)) call_.source = found.code;
  }
  ModelPath path;  // none: the text stays as it is
  if (call_.model)
    path = pairs.path_named(*call_.model);
  else if (!call_.detects())
    path = pairs.path_of(call_.source, call_.target);
  parts_ = path.empty() ? std::vector{text} : parts_of(text, call_.options(path));
}

std::optional<std::string> SentenceStream::next() {
  if (ready_.empty() && at_ < parts_.size()) translate_group();
  if (ready_.empty()) return std::nullopt;
  std::string part = std::move(ready_.front());
  ready_.pop_front();
  return part;
}

void SentenceStream::translate_group() {
  std::string& text = call_.texts.front();
  text.clear();
  const size_t end = std::min(at_ + group_, parts_.size());
  for (; at_ < end; ++at_) text += parts_[at_];
  group_ = std::min(2 * group_, kLargestGroup);
  const std::vector<CalledText> called = translate_call(call_, service_, patience_);
  for (std::string& sentence : called.front().text.by_sentence(last_)) {
    last_ = sentence;
    ready_.push_back(std::move(sentence));
  }
}

}  // namespace dietmt::service
