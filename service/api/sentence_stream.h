// A text translated sentence by sentence, for answers that clients read while they are written.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "service/api/translation_call.h"

namespace dietmt::service {

class SentenceStream {
 public:
  /// `call`: one text; its source, if it is auto, is the language of the whole text. Throws as
  /// translate_call() for languages, models and sizes.
  SentenceStream(TranslationCall call, ServiceContext& service, Patience patience);

  /// The next sentence's translation with the white space before it; none at the end. The parts
  /// together are the translation. Throws the exceptions of translate_call().
  std::optional<std::string> next();

 private:
  void translate_group();

  TranslationCall call_;
  ServiceContext& service_;
  const Patience patience_;
  std::vector<std::string> parts_;  // sentences with the white space before them
  size_t at_ = 0;                   // the next part
  size_t group_ = 1;                // parts to translate at once
  std::deque<std::string> ready_;
  std::string last_;  // of all that were ready
};

}  // namespace dietmt::service
