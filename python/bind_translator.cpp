#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "dietmt/translator.h"
#include "python/bindings.h"

namespace py = pybind11;

namespace dietmt {
namespace {

// Ctrl-C: runs Python's handlers of signals. Only the main thread has any.
bool interrupted() {
  const py::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

// Runs without the GIL; a call that a handler of signals cancelled ends with its exception.
template <typename Work>
auto without_gil(const Work& work) {
  try {
    const py::gil_scoped_release released;
    return work();
  } catch (const Cancelled&) {
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    throw;
  }
}

TranslateOptions with_signals(TranslateOptions options, const std::optional<Stop>& stop = {}) {
  options.cancelled = [stop] { return (stop && stop->is_set()) || interrupted(); };
  return options;
}

// The lines of a Python iterator, and their prefixes of another.
class IteratedLines {
 public:
  IteratedLines(py::iterator lines, std::optional<py::iterator> prefixes)
      : lines_(std::move(lines)), prefixes_(std::move(prefixes)) {}

  bool operator()(std::string& line, std::string& prefix) const {
    const py::gil_scoped_acquire gil;
    const bool has_line = next(lines_, line);
    if (prefixes_ && next(*prefixes_, prefix) != has_line)
      throw InputError(has_line ? "there are fewer prefixes than lines"
                                : "there are more prefixes than lines");
    return has_line;
  }

 private:
  static bool next(const py::iterator& items, std::string& text) {
    const auto item = py::reinterpret_steal<py::object>(PyIter_Next(items.ptr()));
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    if (!item) return false;
    text = line_of(item);
    return true;
  }

  py::iterator lines_;
  std::optional<py::iterator> prefixes_;
};

// What `for` iterates over.
class LineStream {
 public:
  explicit LineStream(TranslationStream stream) : stream_(std::move(stream)) {}

  Translation next() {
    if (busy_.exchange(true)) throw py::value_error("another thread is reading this stream");
    const auto idle = std::unique_ptr<std::atomic<bool>, void (*)(std::atomic<bool>*)>(
        &busy_, [](std::atomic<bool>* busy) { *busy = false; });
    auto translation = without_gil([&] { return stream_.next(); });
    if (!translation) throw py::stop_iteration();
    return std::move(*translation);
  }

 private:
  TranslationStream stream_;
  std::atomic<bool> busy_ = false;
};

}  // namespace

void bind_translator(py::module_& module) {
  using Lines = std::vector<std::string>;
  py::class_<LineStream>(module, "LineStream", py::module_local(),
                         "Translations of an iterable, in order.")
      .def("__iter__", [](LineStream& stream) -> LineStream& { return stream; })
      .def("__next__", &LineStream::next);

  py::class_<Translator>(module, "Translator", py::module_local())
      .def(py::init<const std::string&, const TranslatorOptions&>(),
           py::call_guard<py::gil_scoped_release>())
      .def("translate",
           [](const Translator& translator, const Lines& lines, const Lines& prefixes,
              const TranslateOptions& options, const std::optional<Stop>& stop) {
             return without_gil([&] {
               return translator.translate(lines, with_signals(options, stop), prefixes);
             });
           })
      .def(
          "stream",
          [](const Translator& translator, py::iterator lines, std::optional<py::iterator> prefixes,
             const TranslateOptions& options, bool line_by_line) {
            return std::make_unique<LineStream>(
                translator.stream(IteratedLines(std::move(lines), std::move(prefixes)),
                                  with_signals(options), line_by_line));
          })
      .def("score",
           [](const Translator& translator, const Lines& sources, const Lines& targets,
              const std::string& source_tag, const std::string& source_language,
              const std::string& target_language) {
             return without_gil([&] {
               return translator.score(sources, targets,
                                       {.source_tag = source_tag,
                                        .source_language = source_language,
                                        .target_language = target_language,
                                        .cancelled = interrupted});
             });
           })
      .def("reload", &Translator::reload, py::call_guard<py::gil_scoped_release>());
}

}  // namespace dietmt
