// Files with some values that are translated; every other byte stays.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/message_sentences.h"
#include "service/documents/places_document.h"
#include "service/documents/translation_scopes.h"

namespace dietmt::service {

class ValuesDocument : public PlacesDocument {
 public:
  /// In the encoding of the file.
  std::string translated(const std::vector<Translation>& translations) override;

 protected:
  /// Writes text between two marks, or the whole text of a value without marks.
  using Encode = std::function<std::string(const std::string& text)>;

  /// As text_of_bytes(). With languages, the values may be messages of ICU.
  explicit ValuesDocument(std::string_view bytes, std::optional<LanguagePair> languages = {},
                          const std::string& charset = {});

  /// The file in UTF-8, until finish().
  const std::string& text() const { return text_; }

  /// Bytes begin .. end-1 of the text are a value that means `text`. One that begins inside the
  /// last value belongs to that one and is left out. Tags of marks are written as they are; a text
  /// without marks gets its placeholders as marks. A value whose translation is the same, or does
  /// not keep the marks, keeps its bytes, as one without a letter does. end = begin: a new value,
  /// which is always written.
  void add_value(size_t begin, size_t end, nmt::MarkedText text, Encode encode);
  /// Adds a value that is a message with plurals or choices, sentence by sentence. Returns false
  /// for any other. One that has such parts and cannot be read counts as left out.
  bool add_message(size_t begin, size_t end, const std::string& text, Encode encode);
  /// Likewise nothing inside the last value is replaced.
  void replace(size_t begin, size_t end, std::string_view by);

  /// A message for all numbers of a category; places in bytes.
  struct PluralForm {
    std::string category;
    size_t begin = 0;        // of the whole form
    size_t category_at = 0;  // where the category is written
    size_t value = 0;
    size_t value_end = 0;
    size_t end = 0;
  };
  /// The form whose text the missing ones get: "other", or the last one.
  static size_t model_of(const std::vector<PluralForm>& forms);
  /// Adds the forms of these categories that are missing at byte `at`, each after `gap`. `add` adds
  /// the value of a form there.
  void add_missing_forms(const std::vector<PluralForm>& forms,
                         const std::vector<std::string>& wanted, std::string_view gap, size_t at,
                         const std::function<void(size_t form)>& add);

  /// Call it after the last value.
  void finish();

  /// Throws DataError with the line.
  [[noreturn]] void fail(size_t at, const std::string& problem) const;

 private:
  struct Value {
    std::string raw;  // empty: a new value
    Encode encode;
    bool has_tags = false;  // marks are tags; otherwise they are placeholders in the text
    std::optional<MessageSentences> message = {};  // of it and the segments after it
  };

  std::string written(const SegmentPlace& place, const Translation& translation) override;
  std::string written_message(const Value& value);

  std::string beginning_;  // of the file, which shows its encoding
  std::string text_;
  std::optional<LanguagePair> languages_;
  std::optional<MessageForms> forms_;  // in these languages
  size_t unread_messages_ = 0;         // with choices
  size_t kept_ = 0;                    // bytes of the text that are in a part
  std::vector<Value> values_;          // by segment
  const std::vector<Translation>* translations_ = nullptr;
};

}  // namespace dietmt::service
