#include "dietmt/translator.h"

#include <mutex>
#include <utility>

#include "common/error.h"
#include "dietmt/engine.h"
#include "dietmt/guarded.h"
#include "dietmt/translation_windows.h"

namespace dietmt {

class Translator::Impl {
 public:
  Impl(std::string model, TranslatorOptions options)
      : model_(std::move(model)), options_(std::move(options)), engine_(load()) {}

  std::shared_ptr<Engine> engine() const {
    const std::lock_guard lock(mutex_);
    return engine_;
  }

  void reload() {
    std::shared_ptr<Engine> engine = load();
    const std::lock_guard lock(mutex_);
    engine_.swap(engine);
  }

 private:
  std::shared_ptr<Engine> load() const { return std::make_shared<Engine>(model_, options_); }

  const std::string model_;
  const TranslatorOptions options_;
  mutable std::mutex mutex_;
  std::shared_ptr<Engine> engine_;
};

class TranslationStream::Impl : public TranslationWindows {
 public:
  using TranslationWindows::TranslationWindows;
};

Translator::Translator(const std::string& model, const TranslatorOptions& options)
    : impl_(guarded_loading([&] { return std::make_unique<Impl>(model, options); })) {}

Translator::Translator(const char* model, const TranslatorOptions& options)
    : Translator(model == nullptr ? throw UsageError("model is null; it must name a directory")
                                  : std::string(model),
                 options) {}

Translator::~Translator() = default;

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               const TranslateOptions& options,
                                               const std::vector<std::string>& prefixes) const {
  size_t next = 0;
  const LineSource source = [&](std::string& line, std::string& prefix) {
    if (next == lines.size()) return false;
    line = lines[next];
    if (!prefixes.empty()) prefix = prefixes[next];
    ++next;
    return true;
  };
  return guarded([&] {
    if (!prefixes.empty() && prefixes.size() != lines.size())
      throw DataError(std::to_string(lines.size()) + " lines, but " +
                      std::to_string(prefixes.size()) + " prefixes");
    LineLanguages(options).require_lines(std::ssize(lines));
    TranslationWindows windows(impl_->engine(), source, options, false);
    std::vector<Translation> translations;
    translations.reserve(lines.size());
    while (auto translation = windows.next()) translations.push_back(std::move(*translation));
    return translations;
  });
}

TranslationStream Translator::stream(LineSource lines, const TranslateOptions& options,
                                     bool line_by_line) const {
  return TranslationStream(guarded([&] {
    return std::make_unique<TranslationStream::Impl>(impl_->engine(), std::move(lines), options,
                                                     line_by_line);
  }));
}

std::vector<Hypothesis> Translator::score(const std::vector<std::string>& sources,
                                          const std::vector<std::string>& targets,
                                          const ScoreOptions& options) const {
  return guarded([&] { return impl_->engine()->score(sources, targets, options); });
}

void Translator::reload() {
  guarded_loading([&] { impl_->reload(); });
}

TranslationStream::TranslationStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TranslationStream::~TranslationStream() = default;
TranslationStream::TranslationStream(TranslationStream&&) noexcept = default;
TranslationStream& TranslationStream::operator=(TranslationStream&&) noexcept = default;

std::optional<Translation> TranslationStream::next() {
  return guarded([&] { return impl_->next(); });
}

}  // namespace dietmt
