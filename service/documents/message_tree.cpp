#include "service/documents/message_tree.h"

#include <unicode/messagepattern.h>

#include <algorithm>
#include <array>

#include "common/interruption.h"

namespace dietmt::service {
namespace {

using Part = icu::MessagePattern::Part;

// Without regard to case, as MessagePattern reads them: "selectordinal" counts as "select".
size_t words_of_choices(std::string_view message) {
  constexpr std::array<std::string_view, 3> kWords = {"plural", "select", "choice"};
  const auto is_same = [](char a, char b) { return (a | 0x20) == b; };
  size_t count = 0;
  for (const std::string_view word : kWords)
    for (auto at = message.begin();; at += static_cast<std::ptrdiff_t>(word.size())) {
      at = std::search(at, message.end(), word.begin(), word.end(), is_same);
      if (at == message.end()) break;
      ++count;
    }
  return count;
}

// nullopt if it is not a message. MessagePattern takes a stack frame for each level.
std::optional<icu::MessagePattern> pattern_of(std::string_view message, size_t most_choices) {
  const size_t words = words_of_choices(message);
  if (words == 0 || words > most_choices) return std::nullopt;
  UErrorCode status = U_ZERO_ERROR;
  icu::MessagePattern pattern(status);
  const auto size = static_cast<int32_t>(message.size());
  pattern.parse(icu::UnicodeString::fromUTF8({message.data(), size}), nullptr, status);
  if (U_FAILURE(status) != 0) return std::nullopt;
  return pattern;
}

bool is_choice_type(UMessagePatternArgType type) {
  return type != UMSGPAT_ARG_TYPE_NONE && type != UMSGPAT_ARG_TYPE_SIMPLE;
}

MessageChoice::Kind kind_of(UMessagePatternArgType type) {
  switch (type) {
    case UMSGPAT_ARG_TYPE_PLURAL:
      return MessageChoice::Kind::kPlural;
    case UMSGPAT_ARG_TYPE_SELECTORDINAL:
      return MessageChoice::Kind::kOrdinal;
    case UMSGPAT_ARG_TYPE_SELECT:
      return MessageChoice::Kind::kSelect;
    default:
      return MessageChoice::Kind::kChoiceFormat;
  }
}

class TreeReader {
 public:
  explicit TreeReader(const icu::MessagePattern& pattern)
      : pattern_(pattern), text_(pattern.getPatternString()) {}

  std::optional<Message> read() {
    Message message = message_at(0, nullptr);
    if (has_open_quote_) return std::nullopt;
    return message;
  }

 private:
  const Part& part(int32_t number) const { return pattern_.getPart(number); }

  std::string raw(int32_t begin, int32_t end) const {
    std::string text;
    text_.tempSubStringBetween(begin, end).toUTF8String(text);
    return text;
  }

  // The message whose MSG_START is part `start`.
  Message message_at(int32_t start, const MessageChoice* around) {
    check_interruption();
    Message message;
    int32_t begin = part(start).getLimit();
    const auto add = [&](MessageItem::Kind kind, int32_t end) {
      if (end > begin) message.push_back({.kind = kind, .text = raw(begin, end), .around = around});
      begin = end;
    };
    const int32_t limit = pattern_.getLimitPartIndex(start);
    int32_t last_skipped = -1;
    bool is_quoted = false;
    for (int32_t number = start + 1; number < limit; ++number) {
      const int32_t at = part(number).getIndex();
      switch (part(number).getType()) {
        case UMSGPAT_PART_TYPE_SKIP_SYNTAX: {
          const bool is_double = at > begin && text_[at - 1] == u'\'' && at - 1 != last_skipped;
          last_skipped = at;
          if (is_double) break;
          add(is_quoted ? MessageItem::Kind::kPlaceholder : MessageItem::Kind::kText,
              is_quoted ? at + 1 : at);
          is_quoted = !is_quoted;
          break;
        }
        case UMSGPAT_PART_TYPE_REPLACE_NUMBER:
          add(MessageItem::Kind::kText, at);
          add(MessageItem::Kind::kNumber, part(number).getLimit());
          break;
        case UMSGPAT_PART_TYPE_ARG_START: {
          add(MessageItem::Kind::kText, at);
          const int32_t end = pattern_.getLimitPartIndex(number);
          if (is_choice_type(part(number).getArgType())) {
            message.push_back({.kind = MessageItem::Kind::kChoice,
                               .around = around,
                               .choice = choice_at(number)});
            begin = part(end).getLimit();
          } else {
            add(MessageItem::Kind::kPlaceholder, part(end).getLimit());
          }
          number = end;
          break;
        }
        default:
          break;
      }
    }
    has_open_quote_ = has_open_quote_ || is_quoted;
    add(MessageItem::Kind::kText, part(limit).getIndex());
    return message;
  }

  std::unique_ptr<MessageChoice> choice_at(int32_t start) {
    auto choice = std::make_unique<MessageChoice>();
    choice->kind = kind_of(part(start).getArgType());
    choice->name = raw(part(start + 1).getIndex(), part(start + 1).getLimit());
    const int32_t limit = pattern_.getLimitPartIndex(start);
    int32_t begin = part(start).getIndex(), selector = -1, selector_end = 0;
    for (int32_t number = start + 2; number < limit; ++number) {
      const Part& one = part(number);
      const auto type = one.getType();
      const bool is_offset = type == UMSGPAT_PART_TYPE_ARG_INT && choice->has_number();
      if (is_offset && selector < 0) choice->has_offset = true;
      if (type == UMSGPAT_PART_TYPE_MSG_START) {
        const int32_t content = one.getLimit();
        const int32_t end = pattern_.getLimitPartIndex(number);
        choice->branches.push_back({.before = raw(begin, selector),
                                    .selector = raw(selector, selector_end),
                                    .open = raw(selector_end, content),
                                    .message = message_at(number, choice.get())});
        begin = part(end).getIndex();
        number = end;
        selector = -1;
      } else if (!(is_offset && selector < 0) && type != UMSGPAT_PART_TYPE_SKIP_SYNTAX) {
        if (selector < 0) selector = one.getIndex();
        selector_end = std::max(selector_end, one.getLimit());
      }
    }
    choice->end = raw(begin, part(limit).getLimit());
    return choice;
  }

  const icu::MessagePattern& pattern_;
  const icu::UnicodeString& text_;
  bool has_open_quote_ = false;
};

}  // namespace

bool has_choice(const Message& message) {
  return std::ranges::find(message, MessageItem::Kind::kChoice, &MessageItem::kind) !=
         message.end();
}

std::optional<Message> message_tree(std::string_view message, size_t most_choices) {
  const auto pattern = pattern_of(message, most_choices);
  return pattern ? TreeReader(*pattern).read() : std::nullopt;
}

std::optional<std::vector<std::string>> message_arguments(std::string_view message,
                                                          size_t most_choices) {
  const auto pattern = pattern_of(message, most_choices);
  if (!pattern) return std::nullopt;
  std::vector<std::string> arguments;
  for (int32_t i = 0; i + 1 < pattern->countParts(); ++i) {
    if (pattern->getPartType(i) != UMSGPAT_PART_TYPE_ARG_START) continue;
    std::string& argument =
        arguments.emplace_back(std::to_string(pattern->getPart(i).getArgType()) + " ");
    pattern->getSubstring(pattern->getPart(i + 1)).toUTF8String(argument);
  }
  std::ranges::sort(arguments);
  return arguments;
}

}  // namespace dietmt::service
