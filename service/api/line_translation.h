// Translates the lines of batch jobs with the same models and queues as online requests.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "service/api/fields.h"
#include "service/api/glossaries.h"
#include "service/api/language_pairs.h"
#include "service/api/quality_estimates.h"
#include "service/api/text_translator.h"
#include "service/documents/placeholders.h"
#include "service/scheduling/model_registry.h"

namespace dietmt::service {

/// Selects the model. `decoding` has the names and checks of /v1/translate.
struct LineRequest {
  std::string model;   // empty: the one for the languages
  std::string source;  // auto: that of the lines that are translated together
  std::string target;
  std::string owner = {};   // whose glossaries it may use
  std::string client = {};  // takes turns with others
  bool quality = false;     // estimate the quality of the translations
};

struct TranslatedLines {
  TranslatedLines() = default;
  // Implicit, since translators that do not count return only lines.
  TranslatedLines(std::vector<Translation> all, int64_t tokens = 0)
      : lines(std::move(all)), source_tokens(tokens) {}

  std::vector<Translation> lines;
  std::vector<bool> cut = {};  // per line, whether it was too long for the model; empty: none was
  std::vector<bool> guarded = {};    // per line, whether the guard found a sign; empty: in none
  std::vector<double> quality = {};  // per line, its estimate if asked for; of an empty line 0
  int64_t source_tokens = 0;
};

class LineTranslator {
 public:
  /// `pivot`: as in LanguagePairs. `quality`: null: nothing estimates the quality here.
  LineTranslator(ModelRegistry& models, const ServiceLimits& limits, const std::string& pivot = "",
                 std::shared_ptr<const Glossaries> glossaries = std::make_shared<Glossaries>(),
                 std::shared_ptr<QualityEstimates> quality = nullptr)
      : models_(models),
        pairs_(models.specs(), pivot),
        limits_(limits),
        glossaries_(std::move(glossaries)),
        quality_(std::move(quality)) {}

  /// Throws HttpError for a request that translate() could not serve: no such model, a wrong
  /// option, several translations.
  void check(const LineRequest& request, const nlohmann::json& decoding) const;

  /// Translates each line as one sentence or, with "split_sentences" true in `decoding`, sentence
  /// by sentence; with "markup" true, tags and placeholders move with their words. Waits while the
  /// queue is full. Throws ClientGone soon after `cancelled` returns true, Unavailable, and the
  /// decoder's exceptions.
  TranslatedLines translate(const LineRequest& request, const nlohmann::json& decoding,
                            const ConnectedTexts& lines,
                            const std::function<bool()>& cancelled) const;

 private:
  ModelPath path_of(const LineRequest& request, const std::vector<nmt::MarkedText>& lines) const;
  TextOptions options(const LineRequest& request, const nlohmann::json& decoding,
                      const ModelPath& path) const;
  std::vector<double> estimates(const std::vector<nmt::MarkedText>& sources,
                                const std::vector<Translation>& translations,
                                const Patience& patience) const;

  ModelRegistry& models_;
  const LanguagePairs pairs_;
  const ServiceLimits limits_;
  const std::shared_ptr<const Glossaries> glossaries_;
  const std::shared_ptr<QualityEstimates> quality_;
};

}  // namespace dietmt::service
