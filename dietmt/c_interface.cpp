#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dietmt/c.h"
#include "dietmt/c_options.h"
#include "dietmt/error.h"
#include "dietmt/translator.h"

struct dietmt_translator {
  dietmt::Translator translator;
};

struct dietmt_translations {
  std::vector<dietmt::Translation> lines;
};

struct dietmt_stream {
  dietmt::TranslationStream stream;
};

namespace dietmt {
namespace {

thread_local std::string last_error;

dietmt_status failed(dietmt_status status, const char* message) {
  last_error = message;
  return status;
}

/// Runs `work`, and turns its exceptions into a status and last_error.
template <typename Work>
dietmt_status attempt(const Work& work) {
  try {
    work();
    return DIETMT_OK;
  } catch (const UsageError& error) {
    return failed(DIETMT_USAGE, error.what());
  } catch (const InputError& error) {
    return failed(DIETMT_INPUT, error.what());
  } catch (const ModelError& error) {
    return failed(DIETMT_MODEL, error.what());
  } catch (const Cancelled& error) {
    return failed(DIETMT_CANCELLED, error.what());
  } catch (const std::exception& error) {
    return failed(DIETMT_FAILED, error.what());
  }
}

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw UsageError(std::string(name) + " is NULL");
}

std::vector<std::string> strings(const char* const* from, size_t count, const char* name) {
  if (count > 0) require(from, name);
  std::vector<std::string> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    require(from[i], (name + ("[" + std::to_string(i)) + "]").c_str());
    result.emplace_back(from[i]);
  }
  return result;
}

TranslateOptions translate_options(const dietmt_options* options) {
  if (options == nullptr) return {};
  TranslateOptions result = options->translate;
  result.cancelled = [options] { return options->cancelled.load(); };
  return result;
}

const Translation* line_of(const dietmt_translations* result, size_t line) {
  return result != nullptr && line < result->lines.size() ? &result->lines[line] : nullptr;
}

const Hypothesis* hypothesis_of(const dietmt_translations* result, size_t line, size_t hypothesis) {
  const Translation* translation = line_of(result, line);
  return translation != nullptr && hypothesis < translation->hypotheses.size()
             ? &translation->hypotheses[hypothesis]
             : nullptr;
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace
}  // namespace dietmt

using namespace dietmt;

const char* dietmt_last_error(void) { return last_error.c_str(); }

dietmt_options* dietmt_options_new(void) { return new (std::nothrow) dietmt_options(); }
void dietmt_options_free(dietmt_options* options) { delete options; }

dietmt_status dietmt_options_set(dietmt_options* options, const char* name, const char* value) {
  return attempt([&] {
    require(options, "options");
    require(name, "name");
    require(value, name);
    set_option(*options, name, value);
  });
}

dietmt_status dietmt_options_add_term(dietmt_options* options, const char* source,
                                      const char* target) {
  return attempt([&] {
    require(options, "options");
    require(source, "source");
    require(target, "target");
    options->translate.glossary.emplace_back(source, target);
  });
}

dietmt_status dietmt_options_add_avoided(dietmt_options* options, const char* text) {
  return attempt([&] {
    require(options, "options");
    require(text, "text");
    options->translate.avoid.emplace_back(text);
  });
}

void dietmt_options_cancel(dietmt_options* options) {
  if (options != nullptr) options->cancelled = true;
}

dietmt_status dietmt_load(const char* model, const dietmt_options* options,
                          dietmt_translator** translator) {
  return attempt([&] {
    require(model, "model");
    require(translator, "translator");
    *translator = nullptr;
    const TranslatorOptions load = options != nullptr ? options->load : TranslatorOptions();
    *translator = new dietmt_translator{Translator(model, load)};
  });
}

dietmt_status dietmt_reload(dietmt_translator* translator) {
  return attempt([&] {
    require(translator, "translator");
    translator->translator.reload();
  });
}

void dietmt_free(dietmt_translator* translator) { delete translator; }

dietmt_status dietmt_translate(const dietmt_translator* translator, const char* const* lines,
                               size_t count, const dietmt_options* options,
                               dietmt_translations** result) {
  return attempt([&] {
    require(translator, "translator");
    require(result, "result");
    *result = nullptr;
    *result = new dietmt_translations{translator->translator.translate(
        strings(lines, count, "lines"), translate_options(options))};
  });
}

dietmt_status dietmt_score(const dietmt_translator* translator, const char* const* sources,
                           const char* const* targets, size_t count, const dietmt_options* options,
                           dietmt_translations** result) {
  return attempt([&] {
    require(translator, "translator");
    require(result, "result");
    *result = nullptr;
    const TranslateOptions o = translate_options(options);
    std::vector<Hypothesis> scored = translator->translator.score(
        strings(sources, count, "sources"), strings(targets, count, "targets"),
        {.source_tag = o.source_tag,
         .source_language = o.source_language,
         .target_language = o.target_language,
         .cancelled = o.cancelled});
    auto translations = std::make_unique<dietmt_translations>();
    for (Hypothesis& hypothesis : scored)
      translations->lines.emplace_back().hypotheses.push_back(std::move(hypothesis));
    *result = translations.release();
  });
}

dietmt_status dietmt_stream_open(const dietmt_translator* translator, dietmt_next_line next_line,
                                 void* data, const dietmt_options* options, int line_by_line,
                                 dietmt_stream** stream) {
  return attempt([&] {
    require(translator, "translator");
    require(reinterpret_cast<const void*>(next_line), "next_line");
    require(stream, "stream");
    *stream = nullptr;
    const LineSource source = [next_line, data](std::string& line, std::string&) {
      const char* const next = next_line(data);
      if (next != nullptr) line = next;
      return next != nullptr;
    };
    *stream = new dietmt_stream{
        translator->translator.stream(source, translate_options(options), line_by_line != 0)};
  });
}

dietmt_status dietmt_stream_next(dietmt_stream* stream, dietmt_translations** result) {
  return attempt([&] {
    require(stream, "stream");
    require(result, "result");
    *result = nullptr;
    std::optional<Translation> next = stream->stream.next();
    if (!next) return;
    auto translations = std::make_unique<dietmt_translations>();
    translations->lines.push_back(std::move(*next));
    *result = translations.release();
  });
}

void dietmt_stream_free(dietmt_stream* stream) { delete stream; }

size_t dietmt_line_count(const dietmt_translations* result) {
  return result != nullptr ? result->lines.size() : 0;
}

size_t dietmt_hypothesis_count(const dietmt_translations* result, size_t line) {
  const Translation* translation = line_of(result, line);
  return translation != nullptr ? translation->hypotheses.size() : 0;
}

const char* dietmt_text(const dietmt_translations* result, size_t line, size_t hypothesis) {
  const Hypothesis* found = hypothesis_of(result, line, hypothesis);
  return found != nullptr ? found->text.c_str() : nullptr;
}

double dietmt_hypothesis_score(const dietmt_translations* result, size_t line, size_t hypothesis) {
  const Hypothesis* found = hypothesis_of(result, line, hypothesis);
  return found != nullptr ? found->score : kNone;
}

size_t dietmt_token_count(const dietmt_translations* result, size_t line, size_t hypothesis) {
  const Hypothesis* found = hypothesis_of(result, line, hypothesis);
  return found != nullptr ? found->tokens.size() : 0;
}

const char* dietmt_token(const dietmt_translations* result, size_t line, size_t hypothesis,
                         size_t token) {
  const Hypothesis* found = hypothesis_of(result, line, hypothesis);
  return found != nullptr && token < found->tokens.size() ? found->tokens[token].c_str() : nullptr;
}

double dietmt_token_score(const dietmt_translations* result, size_t line, size_t hypothesis,
                          size_t token) {
  const Hypothesis* found = hypothesis_of(result, line, hypothesis);
  return found != nullptr && token < found->token_scores.size() ? found->token_scores[token]
                                                                : kNone;
}

const char* dietmt_problem(const dietmt_translations* result, size_t line) {
  const Translation* translation = line_of(result, line);
  return translation != nullptr ? translation->problem.c_str() : nullptr;
}

int dietmt_truncated(const dietmt_translations* result, size_t line) {
  const Translation* translation = line_of(result, line);
  return translation != nullptr && translation->truncated ? 1 : 0;
}

void dietmt_translations_free(dietmt_translations* result) { delete result; }
