#include "service/documents/sentence_writer.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <utility>

#include "common/interruption.h"
#include "nmt/alignment/placeholders.h"
#include "service/documents/kept_signs.h"
#include "service/documents/placeholders.h"

namespace dietmt::service {
namespace {

using Kind = MessageItem::Kind;

}  // namespace

// Pieces of text that no translation may change.
class SentenceWriter::Spans {
 public:
  void add(size_t begin, size_t end) { spans_.emplace_back(begin, end); }

  // As views into the text, in order; those that overlap are one.
  std::vector<std::string_view> in(std::string_view text) {
    std::ranges::sort(spans_);
    std::vector<std::pair<size_t, size_t>> joined;
    for (const auto& [begin, end] : spans_) {
      if (!joined.empty() && begin < joined.back().second)
        joined.back().second = std::max(joined.back().second, end);
      else
        joined.emplace_back(begin, end);
    }
    std::vector<std::string_view> views;
    for (const auto& [begin, end] : joined) views.push_back(text.substr(begin, end - begin));
    return views;
  }

 private:
  std::vector<std::pair<size_t, size_t>> spans_;
};

SentenceWriter::SentenceWriter(const MessageForms& forms, size_t most_sentences,
                               std::vector<nmt::MarkedText>& segments)
    : forms_(forms), most_sentences_(most_sentences), segments_(segments) {
  result_.first_segment_ = segments.size();
}

std::optional<MessageSentences> SentenceWriter::write(const Message& message) {
  write(message, nullptr);
  if (fails_) return std::nullopt;
  return std::move(result_);
}

void SentenceWriter::write(const Message& message, const Choice* around) {
  if (sentences_of(message) <= most_sentences_) return write_nested({&message, 0, nullptr}, around);
  for (size_t at = 0; at < message.size(); ++at) {
    if (!message[at].choice) {
      sentence_.push_back(&message[at]);
      continue;
    }
    write_sentence(around);
    sentence_.clear();
    const Choice& choice = *message[at].choice;
    write_branches(choice, [&](const Message& branch) { write(branch, &choice); });
  }
  write_sentence(around);
  sentence_.clear();
}

// Goes through the items up to a choice, whose branches each go on with the rest.
void SentenceWriter::write_nested(Rest rest, const Choice* around) {
  const size_t size = sentence_.size();
  while (true) {
    if (rest.at == rest.message->size()) {
      if (rest.after == nullptr) break;
      rest = *rest.after;
      continue;
    }
    const MessageItem& item = (*rest.message)[rest.at++];
    if (item.choice) {
      write_branches(*item.choice, [&](const Message& branch) {
        write_nested({&branch, 0, &rest}, item.choice.get());
      });
      sentence_.resize(size);
      return;
    }
    sentence_.push_back(&item);
  }
  write_sentence(around);
  sentence_.resize(size);
}

template <typename Write>
void SentenceWriter::write_branches(const Choice& choice, const Write& write_message) {
  result_.has_choice_format_ |= choice.kind == Choice::Kind::kChoiceFormat;
  const std::vector<MessageForms::Branch> branches = forms_.branches_of(choice);
  const std::string gap = choice.branches.size() > 1 ? choice.branches[1].before : "} ";
  for (size_t i = 0; i < branches.size(); ++i) {
    const MessageBranch& branch = *branches[i].original;
    const bool was_first = &branch == &choice.branches.front();
    keep(i == 0 ? choice.branches.front().before : was_first ? gap : branch.before);
    keep(branches[i].selector + branch.open);
    write_message(branch.message);
  }
  keep(choice.end);
}

// How many sentences a message has when all of its choices are nested, up to
// MessageSentences::kMostSentences + 1.
size_t SentenceWriter::sentences_of(const Message& message) {
  if (const auto known = counts_.find(&message); known != counts_.end()) return known->second;
  size_t count = 1;
  for (const MessageItem& item : message) {
    if (!item.choice) continue;
    size_t branches = 0;
    for (const MessageForms::Branch& one : forms_.branches_of(*item.choice))
      branches = std::min(MessageSentences::kMostSentences + 1,
                          branches + sentences_of(one.original->message));
    count = std::min(MessageSentences::kMostSentences + 1, count * branches);
  }
  counts_.emplace(&message, count);
  return count;
}

void SentenceWriter::keep(std::string_view text) {
  if (result_.parts_.empty() || result_.parts_.back().place) result_.parts_.emplace_back();
  result_.parts_.back().fixed += text;
}

void SentenceWriter::write_sentence(const Choice* around) {
  std::string raw;
  Spans kept;
  for (const MessageItem* const item : sentence_) {
    const std::string text = text_of(*item, around);
    if (item->kind != Kind::kText) kept.add(raw.size(), raw.size() + text.size());
    raw += text;
  }
  const auto [known, is_new] = known_.try_emplace(raw);
  if (is_new) known->second = add_sentence(raw, kept);
  keep(known->second ? "" : raw);
  if (known->second) result_.parts_.back().place = known->second;
}

// As it is written in a branch of `around`, whose number # would be.
std::string SentenceWriter::text_of(const MessageItem& item, const Choice* around) {
  std::string text = item.text;
  if (item.around == around) return text;
  const bool is_plural = around != nullptr && around->has_number();
  const bool is_choice_format = around != nullptr && around->kind == Choice::Kind::kChoiceFormat;
  switch (item.kind) {
    case Kind::kNumber:
      fails_ = fails_ || item.around->has_offset;
      return "{" + item.around->name + ", number}";
    case Kind::kText:
      // Outside all choices, } is text.
      fails_ = fails_ || text.find('}') != text.npos ||
               (is_choice_format && text.find('|') != text.npos);
      if (is_plural && !(item.around != nullptr && item.around->has_number()))
        boost::replace_all(text, "#", "'#'");
      return text;
    default: {
      // Only braces need quotes everywhere.
      const bool quotes_sign = text.starts_with('\'') && text[1] != '{' && text[1] != '}';
      fails_ = fails_ || quotes_sign || (is_choice_format && text.starts_with('\''));
      return text;
    }
  }
}

// Its number; nullopt if it has nothing to translate.
std::optional<size_t> SentenceWriter::add_sentence(std::string_view raw, Spans& kept) {
  check_interruption();
  for (size_t at = raw.find("'#'"); at != raw.npos; at = raw.find("'#'", at + 3))
    kept.add(at, at + 3);
  for (const std::string_view part : kept_parts_in(raw, nullptr)) {
    const auto begin = static_cast<size_t>(part.data() - raw.data());
    kept.add(begin, begin + part.size());
  }
  nmt::MarkedText sentence;
  for (const auto& [part, is_kept] : nmt::parts_around(raw, kept.in(raw))) {
    if (is_kept) {
      add_mark(std::string(part), sentence);
      continue;
    }
    std::string text(part);
    boost::replace_all(text, "''", "'");
    sentence.text += text;
  }
  auto place = add_segment(std::move(sentence), segments_);
  if (!place) return std::nullopt;
  result_.places_.push_back(*std::move(place));
  return result_.places_.size() - 1;
}

}  // namespace dietmt::service
