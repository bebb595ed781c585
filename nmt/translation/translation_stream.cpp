#include "nmt/translation/translation_stream.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <utility>

#include "common/error.h"
#include "nmt/translation/json_line.h"
#include "nmt/translation/kept_text.h"
#include "nmt/translation/line_tokens.h"

namespace dietmt::nmt {
namespace {

// Lines translated together.
struct Window {
  std::vector<TranslatedLine> lines;

  // The requests of the sentences that have text, in order.
  std::vector<TranslationRequest> requests() {
    std::vector<TranslationRequest> requests;
    for (TranslatedLine& line : lines) line.sentences.take_requests(requests);
    return requests;
  }
};

// A text with one line per line of the input, or none.
class SideText {
 public:
  // `one`, `many`: what its lines are called.
  SideText(LineReader* reader, const char* one, const char* many)
      : reader_(reader), one_(one), many_(many) {}

  bool given() const { return reader_ != nullptr; }
  std::string where() const { return reader_->where(); }

  // The line that belongs to the last line of `input`.
  std::string next(const LineReader& input) {
    std::string line;
    if (!reader_->next(line)) {
      throw DataError(where() + ": the " + many_ + " end here, but the input has a line " +
                      std::to_string(input.line_number()));
    }
    clean_line(line, *reader_);
    return line;
  }

  // Call it after the last line of `input`.
  void check_end(const LineReader& input) {
    std::string line;
    if (!given() || !reader_->next(line)) return;
    throw DataError(where() + ": this " + one_ + " has no line in the input, which ends after " +
                    std::to_string(input.line_number()) + " lines");
  }

 private:
  LineReader* reader_;
  const char* one_;
  const char* many_;
};

class WindowReader {
 public:
  WindowReader(LineCoder& coder, LineReader& input, const SearchOptions& search,
               const StreamOptions& options, const WindowSizes& sizes)
      : coder_(coder),
        input_(input),
        search_(search),
        prefixes_(options.prefixes, "prefix", "prefixes"),
        tags_(options.tags, "tag", "tags"),
        options_(options),
        sizes_(sizes),
        max_lines_(options.line_by_line ? 1 : sizes.first_lines) {
    for (const std::string& line : options.earlier) coder.prepare(line);
  }

  // The next lines; none at the end of the input.
  Window read() {
    Window window;
    int64_t bytes = 0;
    std::string line;
    while (!stopped_ && std::ssize(window.lines) < max_lines_ && bytes < sizes_.bytes) {
      if (!input_.next(line)) {
        prefixes_.check_end(input_);
        tags_.check_end(input_);
        break;
      }
      bytes += std::ssize(line);
      window.lines.push_back(prepared(line));
    }
    if (!options_.line_by_line) max_lines_ = std::min(2 * max_lines_, sizes_.lines);
    return window;
  }

  // Makes a running read() return after the next line. Thread-safe.
  void stop() { stopped_ = true; }

 private:
  TranslatedLine prepared(std::string& line) {
    clean_line(line, input_);
    LineExtras extras{.index = input_.line_number() - 1, .where = input_.where()};
    if (prefixes_.given()) {
      extras.prefix = prefixes_.next(input_);
      extras.prefix_where = prefixes_.where();
    }
    if (tags_.given()) {
      extras.languages = options_.line.languages;
      extras.languages->source_tag = tags_.next(input_);
    }
    TranslatedLine made{.number = input_.line_number(), .source = line, .where = extras.where};
    const bool has_fields = options_.json || options_.tsv != nullptr;
    try {
      if (has_fields) take_fields(line, made, extras);
      made.sentences = prepare_sentences(coder_, line, std::move(extras), options_.split);
    } catch (const DataError& error) {
      if (!tags_.given() && !has_fields) throw;
      throw DataError((has_fields ? input_.where() : tags_.where()) + ": " + error.what());
    }
    return made;
  }

  // Leaves only the text in `line`.
  void take_fields(std::string& line, TranslatedLine& made, LineExtras& extras) const {
    const LanguageChoice& usual = options_.line.languages;
    if (options_.json) {
      line = take_json_line(line, search_, usual, extras);
    } else {
      made.row = line;
      line = options_.tsv->take_line(line, usual, extras);
    }
    made.source = line;
  }

  LineCoder& coder_;
  LineReader& input_;
  const SearchOptions& search_;
  SideText prefixes_, tags_;
  const StreamOptions& options_;
  const WindowSizes sizes_;
  int64_t max_lines_;
  std::atomic<bool> stopped_ = false;
};

// Reads the next window while the current one is translated: on another thread, or on demand if
// lines are translated one by one or the system cannot start a thread.
class NextWindow {
 public:
  NextWindow(WindowReader& reader, bool ahead)
      : reader_(reader),
        window_(
            std::async(ahead ? std::launch::async | std::launch::deferred : std::launch::deferred,
                       [&reader] { return reader.read(); })) {}
  ~NextWindow() {
    if (window_.valid()) reader_.stop();  // the future waits for its thread
  }
  NextWindow(const NextWindow&) = delete;
  NextWindow& operator=(const NextWindow&) = delete;

  Window get() { return window_.get(); }

 private:
  WindowReader& reader_;
  std::future<Window> window_;
};

void translate_to_pivot(const Translator& translator, const LineCoder& first, LineCoder& last,
                        Window& window) {
  const std::vector<NBest> found = translator.translate(window.requests());
  auto next = found.begin();
  for (TranslatedLine& line : window.lines) {
    for (LineSentences::Sentence& one : line.sentences.sentences) {
      if (one.request.has_text)
        last.advance(one.request, first, next++->front());
      else if (!one.request.is_copied)
        last.end_document();
    }
  }
}

void translate(const Translator& translator, const LineCoder& coder, const StreamOptions& options,
               Window& window, const std::function<void(int64_t)>& progress) {
  const std::vector<TranslationRequest> requests = window.requests();
  int64_t counted = 0;  // lines; some have several sentences
  const auto count = [&](int64_t sentences) {
    const int64_t more = std::min<int64_t>(sentences, std::ssize(window.lines) - counted);
    counted += more;
    if (progress) progress(more);
  };
  const auto decode = [&](std::span<const TranslationRequest> some, const SearchOptions& search,
                          const std::function<void(int64_t)>& done) {
    std::vector<NBest> found = translator.translate(some, search, done);
    if (options.choose) options.choose(some, found);
    return found;
  };
  const SecondSearch again = [&](const std::vector<TranslationRequest>& some,
                                 const SearchOptions& search) { return decode(some, search, {}); };
  std::vector<NBest> found = decode(requests, translator.options(), count);
  const std::vector<GuardOutcome> outcomes =
      guard_output(options.guard, translator.model(), requests, translator.options(), again, found);
  size_t next = 0;
  std::vector<TranslatedPair> pairs;
  for (TranslatedLine& line : window.lines) {
    line.sentences.finish(coder, found, outcomes, next);
    line.sentences.add_pairs(pairs);
  }
  keep_text(coder, pairs, translator.options(), again);
  for (TranslatedLine& line : window.lines) line.translations = line.sentences.take_joined();
  if (progress) progress(std::ssize(window.lines) - counted);
}

}  // namespace

WindowSizes WindowSizes::for_capacity(int64_t capacity) {
  constexpr int64_t kTokensOfAFirstLine = 8, kBytesOfAToken = 256, kMostLines = 131'072;
  capacity = std::min(capacity, kMostLines);
  WindowSizes sizes;
  sizes.first_lines = std::max(sizes.first_lines, capacity / kTokensOfAFirstLine);
  sizes.lines = std::max(sizes.lines, capacity);
  sizes.bytes = std::max(sizes.bytes, kBytesOfAToken * capacity);
  return sizes;
}

void translate_stream(const Translator& translator, LineReader& input, const StreamOptions& options,
                      const std::function<bool(std::span<const TranslatedLine>)>& emit,
                      const std::function<void(int64_t)>& progress) {
  const Translator& first = options.before != nullptr ? *options.before : translator;
  LineOptions of_first = options.line, of_last = options.line;
  of_first.is_last = options.before == nullptr;
  if (options.before != nullptr) {
    of_first.languages.target.clear();
    of_last.languages = {.target = options.line.languages.target};
  }
  if (options.json || options.tsv != nullptr) of_first.languages = {};  // lines have theirs
  if (options.before == nullptr) of_last.languages = of_first.languages;
  LineCoder first_coder(first.model(), first.options(), of_first);
  LineCoder last_coder(translator.model(), translator.options(), of_last);
  LineCoder& coder = options.before != nullptr ? last_coder : first_coder;
  const SearchOptions& search = translator.options();
  const WindowSizes usual = WindowSizes::for_capacity(
      translator.model().decoder->capacity(search.workers, search.batch_tokens));
  WindowReader reader(first_coder, input, search, options, options.windows.value_or(usual));
  Window window = reader.read();
  while (!window.lines.empty()) {
    NextWindow next(reader, !options.line_by_line);
    if (options.before != nullptr) translate_to_pivot(first, first_coder, last_coder, window);
    translate(translator, coder, options, window, progress);
    if (!emit(window.lines)) return;
    window = next.get();
  }
}

}  // namespace dietmt::nmt
