// A loaded model with the workers that decode for all callers.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/text/glossary.h"
#include "dietmt/line_languages.h"
#include "dietmt/translator.h"
#include "nmt/translation/line_coder.h"
#include "nmt/translation/loaded_decoder.h"
#include "nmt/translation/output_guard.h"
#include "service/scheduling/served_model.h"

namespace dietmt {

struct BatchLine {
  std::string text;
  std::string prefix = {};
  std::optional<nmt::LanguageChoice> languages = {};  // instead of TranslationPlan::line's
};

/// Lines translated together.
struct LineBatch {
  std::vector<BatchLine> lines;
  std::vector<BatchLine> earlier;  // preceding lines: context for a model that reads it
  int64_t first = 0;               // number of the first line: part of the sampling key
};

/// The checked options of a call.
struct TranslationPlan {
  nmt::SearchOptions search;
  data::Glossary glossary;
  nmt::LineOptions line;  // without the glossary
  LineLanguages languages;
  nmt::Guard guard;
  std::optional<std::string> split;
};

/// Serves all public calls, which end with translate() or score(). Thread-safe.
class Engine {
 public:
  Engine(const std::string& model, const TranslatorOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Throws ConfigError listing all problems, and DataError for an invalid glossary entry, a
  /// language that the model does not have, or a tag that is not a piece of the source tokenizer.
  TranslationPlan plan(const TranslateOptions& options) const;

  /// How much of the preceding lines the model reads.
  const data::SentenceContext& context() const { return loaded_->context; }

  std::vector<Translation> translate(const LineBatch& batch, const TranslationPlan& plan,
                                     const std::function<bool()>& cancelled);

  std::vector<Hypothesis> score(const std::vector<std::string>& sources,
                                const std::vector<std::string>& targets,
                                const ScoreOptions& options);

  /// Throws Error in a process that was forked after the model was loaded, since it lacks the
  /// threads.
  void require_own_process() const;

 private:
  nmt::SearchOptions search_options(const TranslateOptions& options) const;
  std::vector<nmt::NBest> decode(std::vector<nmt::TranslationRequest> requests,
                                 const nmt::SearchOptions& search,
                                 const std::function<bool()>& cancelled);

  TranslatorOptions options_;
  pid_t process_;  // that owns the threads
  std::shared_ptr<const nmt::LoadedDecoder> loaded_;
  std::unique_ptr<service::ServedModel> served_;
};

}  // namespace dietmt
