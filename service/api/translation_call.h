// The call that all protocols make: finds the models and the languages of texts, and translates
// them. A text that is already in the target language stays as it is.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "service/api/service_context.h"
#include "service/api/text_translator.h"

namespace dietmt::service {

struct TranslationCall {
  std::vector<std::string> texts;
  std::string source = "";  // a language code; auto: that of each text
  std::string target = "";
  std::optional<std::string> model = {};  // as for path_named(); none: by the languages
  /// What to do with the texts that these models translate.
  std::function<TextOptions(const ModelPath&)> options = nullptr;

  bool detects() const { return source == kDetect; }
};

struct CalledText {
  TranslatedText text;
  ModelPath path;                 // empty: the text stays as it is
  data::DetectedLanguage source;  // with confidence 1 unless it was detected
  bool is_unsupported = false;    // detected, but the server cannot translate it to the target
};

/// Throws HttpError for unknown languages and models, too much text, and if all texts with letters
/// are in languages that the server cannot translate. Other exceptions: those of acquire() and
/// translate_texts().
std::vector<CalledText> translate_call(const TranslationCall& call, ServiceContext& service,
                                       const Patience& patience);

/// The server's defaults for texts that these models translate.
TextOptions usual_options(const ModelPath& path, bool is_html, const ServiceContext& service);

/// Translates with the server's defaults. `source` empty: auto.
std::vector<CalledText> translate_plainly(const Call& call, ServiceContext& service,
                                          std::vector<std::string> texts, const std::string& source,
                                          const std::string& target, bool is_html);

/// {"confidence": percent, "language": code}
nlohmann::ordered_json detection_json(const data::DetectedLanguage& language);

/// Warnings for people, such as `text 1: ...`.
std::vector<std::string> warnings_of(const std::vector<CalledText>& texts);

}  // namespace dietmt::service
