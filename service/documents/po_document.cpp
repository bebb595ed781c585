// GNU gettext catalogues: messages without a translation get one. A message whose translation would
// not keep its placeholders stays untranslated, since one such message stops a build.
#include <algorithm>
#include <optional>
#include <utility>

#include "nmt/alignment/mnemonics.h"
#include "nmt/alignment/text_shape.h"
#include "service/documents/document.h"
#include "service/documents/document_kinds.h"
#include "service/documents/format_directives.h"
#include "service/documents/kept_signs.h"
#include "service/documents/message_sentences.h"
#include "service/documents/placeholders.h"
#include "service/documents/po_header.h"
#include "service/documents/po_messages.h"

namespace dietmt::service {
namespace {

bool has_no_text(const std::string& text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

const FormatSyntax* syntax_by(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags)
    if (const FormatSyntax* syntax = format_syntax(flag)) return syntax;
  return nullptr;
}

// In MessageFormat of Java an apostrophe quotes, so that it is written twice.
void double_apostrophes(Translation& translation) {
  for (nmt::MarkedPart& part : translation) {
    if (part.mark >= 0 || part.text.find("''") != std::string::npos) continue;
    for (size_t at = part.text.find('\''); at != std::string::npos;
         at = part.text.find('\'', at + 2))
      part.text.insert(at, 1, '\'');
  }
}

class PoDocument final : public Document {
 public:
  PoDocument(std::string_view text, const DocumentOptions& options)
      : fuzzy_(options.fuzzy), forms_(options.source, options.target) {
    while (!text.empty()) {
      const size_t newline = text.find('\n');
      const size_t size = newline == text.npos ? text.size() : newline + 1;
      lines_.emplace_back(text.substr(0, size));
      text.remove_prefix(size);
    }
    const std::vector<PoMessage> messages = read_po(lines_);
    for (const PoMessage& message : messages)
      if (message.is_header())
        plural_forms_ = complete_po_header(message, options.target, lines_).plural_forms;
    const char sign = common_mnemonic_sign(messages);
    for (const PoMessage& message : messages)
      if (!message.text_of("msgid").empty()) add(message, sign);
    leave_out_choices(unread_messages_);
  }

  std::string translated(const std::vector<Translation>& translations) override {
    for (const Message& message : messages_) {
      std::map<size_t, std::optional<std::string>> texts;  // by source
      for (const Slot& slot : message.slots) {
        const Source& source = sources_.at(slot.source);
        if (!texts.contains(slot.source))
          texts[slot.source] = source.message
                                   ? source.message->with(translations, segments_)
                                   : text_of(source, translations.at(source.place.segment));
      }
      // A message has all its plural forms or none.
      const bool is_refused =
          std::ranges::any_of(texts, [](const auto& one) { return !one.second; });
      for (const auto& one : texts) refused_ += is_refused ? sentences_of(sources_[one.first]) : 0;
      for (const Slot& slot : message.slots) {
        std::string& line = lines_[slot.line];
        const std::string text = is_refused ? "" : *texts[slot.source];
        const std::string written = slot.keyword + " " + in_po_quotes(text) + end_of(line);
        line = slot.is_added ? line + written : written;
      }
      if (!is_refused && fuzzy_) mark_as_fuzzy(message);
    }
    std::string text;
    for (const std::string& line : lines_) text += line;
    return text;
  }

 private:
  // A text of a message, translated once for all slots that take it.
  struct Source {
    SegmentPlace place;
    const FormatSyntax* syntax = nullptr;
    nmt::Mnemonic mnemonic = {};
    std::optional<MessageSentences> message = {};  // of ICU, with plurals or choices
  };

  static size_t sentences_of(const Source& source) {
    return source.message ? source.message->size() : 1;
  }

  struct Slot {
    size_t line = 0;
    std::string keyword;
    size_t source = 0;      // index in sources_
    bool is_added = false;  // after the line
  };

  struct Message {
    size_t first_line = 0;
    std::optional<size_t> flag_line;
    bool is_fuzzy = false;
    std::vector<Slot> slots;
  };

  static std::string end_of(const std::string& line) {
    return line.ends_with("\r\n") ? "\r\n" : line.ends_with('\n') ? "\n" : "";
  }

  // The sign that marks mnemonics in several messages.
  static char common_mnemonic_sign(const std::vector<PoMessage>& messages) {
    size_t underscores = 0, ampersands = 0;
    for (const PoMessage& message : messages) {
      const char sign = nmt::mnemonic_sign_in(message.text_of("msgid"));
      underscores += sign == '_' ? 1 : 0;
      ampersands += sign == '&' ? 1 : 0;
    }
    const size_t most = std::max(underscores, ampersands);
    if (most == 0 || (most < 3 && most * 10 < messages.size())) return 0;
    return underscores == most ? '_' : '&';
  }

  void add(const PoMessage& message, char mnemonic_sign) {
    std::vector<std::string> flags;
    for (const size_t line : message.flag_lines)
      for (std::string& flag : po_flags(lines_[line])) flags.push_back(std::move(flag));
    Message added{.first_line = message.first_line,
                  .flag_line = message.flag_lines.empty()
                                   ? std::nullopt
                                   : std::optional(message.flag_lines.back()),
                  .is_fuzzy = std::ranges::find(flags, "fuzzy") != flags.end(),
                  .slots = {}};
    std::map<std::string, std::optional<size_t>> sources;  // by keyword; nullopt: no letters
    const auto source_of = [&](const std::string& keyword) {
      const auto [found, is_new] = sources.try_emplace(keyword);
      if (is_new)
        found->second = add_source(message.text_of(keyword), syntax_by(flags), mnemonic_sign);
      return found->second;
    };
    const std::string many = message.has("msgid_plural") ? "msgid_plural" : "msgid";
    const size_t forms = forms_of(message);
    for (const auto& [keyword, field] : message.fields) {
      if (!keyword.starts_with("msgstr") || !has_no_text(field.text)) continue;
      // The only form of a language such as Japanese is used for all numbers.
      const bool is_first = keyword == "msgstr[0]" && forms > 1;
      const auto source = source_of(is_first ? "msgid" : many);
      for (size_t line = field.first_line + 1; source && line <= field.last_line; ++line)
        lines_[line].clear();
      if (source) added.slots.push_back({field.first_line, keyword, *source, false});
    }
    if (!added.slots.empty()) complete_forms(message, forms, added);
    if (!added.slots.empty()) messages_.push_back(std::move(added));
  }

  // How many forms a message with a plural is to have.
  size_t forms_of(const PoMessage& message) const {
    const auto existing = static_cast<size_t>(std::ranges::count_if(
        message.fields, [](const auto& field) { return field.first.starts_with("msgstr["); }));
    const bool is_blank_message = std::ranges::all_of(message.fields, [](const auto& field) {
      return !field.first.starts_with("msgstr") || has_no_text(field.second.text);
    });
    return existing > 0 && plural_forms_ > 0 && is_blank_message ? plural_forms_ : existing;
  }

  // Templates have two forms, whatever the language.
  void complete_forms(const PoMessage& message, size_t forms, Message& added) {
    const auto name = [](size_t form) { return "msgstr[" + std::to_string(form) + "]"; };
    if (forms == 0 || !message.has(name(0))) return;  // msgfmt would refuse a message without one
    size_t last = message.fields.at(name(0)).first_line;
    for (size_t form = 1; form < forms && message.has(name(form)); ++form)
      last = message.fields.at(name(form)).first_line;
    for (size_t form = 1; form < forms; ++form)
      if (!message.has(name(form)))
        added.slots.push_back({last, name(form), added.slots.back().source, true});
    for (size_t form = forms; message.has(name(form)); ++form) {
      const PoField& field = message.fields.at(name(form));
      for (size_t line = field.first_line; line <= field.last_line; ++line) lines_[line].clear();
      std::erase_if(added.slots, [&](const Slot& slot) { return slot.keyword == name(form); });
    }
  }

  std::optional<size_t> add_source(std::string text, const FormatSyntax* syntax, char sign) {
    if (auto message =
            syntax == nullptr ? MessageSentences::read(text, forms_, segments_) : std::nullopt) {
      if (message->size() == 0) return std::nullopt;
      sources_.push_back({.place = {}, .message = std::move(message)});
      return sources_.size() - 1;
    }
    const Choices choices = choices_in(text);
    unread_messages_ += choices != Choices::kNone ? 1 : 0;
    if (choices == Choices::kBroken) return std::nullopt;
    Source source{.place = {}, .syntax = syntax, .mnemonic = nmt::take_out_mnemonic(text, sign)};
    std::vector<std::string_view> placeholders = kept_parts_in(text, syntax);
    // References are letters to the translator.
    std::erase_if(placeholders, [](std::string_view one) { return one.starts_with('&'); });
    auto place = add_segment(with_marks(text, placeholders), segments_);
    if (!place) return std::nullopt;
    source.place = *std::move(place);
    sources_.push_back(std::move(source));
    return sources_.size() - 1;
  }

  // nullopt if the translation would break the message.
  std::optional<std::string> text_of(const Source& source, Translation translation) const {
    const nmt::MarkedText& segment = segments_[source.place.segment];
    if (!nmt::has_letter(plain_text(translation)) || !keeps_placeholders(translation, segment))
      return std::nullopt;
    for (nmt::MarkedPart& part : translation)
      if (part.mark >= 0)
        part.text = segment.marks[static_cast<size_t>(part.mark)].parts.front().text;
    if (!keeps_order(translation, segment) && !number_arguments(source, segment, translation))
      return std::nullopt;
    if (source.syntax != nullptr && source.syntax->flag == "java-format")
      double_apostrophes(translation);
    if (!nmt::put_back_mnemonic(source.mnemonic, translation)) return std::nullopt;
    return source.place.before + nmt::join(translation) + source.place.after;
  }

  // Numbers %s and others, so that they can be in another order. Returns whether that is possible.
  static bool number_arguments(const Source& source, const nmt::MarkedText& segment,
                               Translation& translation) {
    std::vector<size_t> numbers;  // by mark
    size_t arguments = 0;
    for (const nmt::InlineMark& mark : segment.marks)
      numbers.push_back(takes_next_argument(mark.parts.front().text) ? ++arguments : 0);
    for (nmt::MarkedPart& part : translation) {
      if (part.mark < 0 || numbers[static_cast<size_t>(part.mark)] == 0) continue;
      auto numbered =
          with_number(part.text, numbers[static_cast<size_t>(part.mark)], source.syntax);
      if (!numbered) return false;
      part.text = *std::move(numbered);
    }
    return true;
  }

  void mark_as_fuzzy(const Message& message) {
    if (message.is_fuzzy) return;
    if (message.flag_line)
      lines_[*message.flag_line].replace(0, 2, "#, fuzzy,");
    else
      lines_[message.first_line].insert(0, "#, fuzzy" + end_of(lines_[message.first_line]));
  }

  const bool fuzzy_;
  const MessageForms forms_;
  size_t unread_messages_ = 0;  // with choices
  size_t plural_forms_ = 0;     // 0: as many as each message has
  std::vector<std::string> lines_;
  std::vector<Source> sources_;
  std::vector<Message> messages_;
};

}  // namespace

std::unique_ptr<Document> open_po(const std::string& text, const DocumentOptions& options) {
  return std::make_unique<PoDocument>(text, options);
}

}  // namespace dietmt::service
