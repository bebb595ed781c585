// The parts of the extension modules, and what they share.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <string>

namespace dietmt {

/// The state for pickle and copy: a tuple of the members.
template <typename Result, typename... Member>
auto pickled(Member Result::*... members) {
  namespace py = pybind11;
  return py::pickle([=](const Result& result) { return py::make_tuple(result.*members...); },
                    [=](const py::tuple& state) {
                      if (state.size() != sizeof...(Member))
                        throw py::value_error("pickled by another version");
                      Result result{};
                      size_t item = 0;
                      ((result.*members = state[item++].template cast<Member>()), ...);
                      return result;
                    });
}

/// Ends calls from another thread.
class Stop {
 public:
  void set() { *stopped_ = true; }
  bool is_set() const { return *stopped_; }

 private:
  std::shared_ptr<std::atomic<bool>> stopped_ = std::make_shared<std::atomic<bool>>(false);
};

/// The UTF-8 of a str. Throws a TypeError for other types, and InputError for a lone surrogate.
std::string line_of(pybind11::handle item);

/// For all types of the module: protocols 0 and 1 of pickle would make an object of pybind11's base
/// class, which ends the process.
void use_protocol_2(const pybind11::module_& module);

void bind_values(pybind11::module_& module);      // results, options and the tokenizer
void bind_translator(pybind11::module_& module);  // its values are those of the module _dietmt
void bind_metrics(pybind11::module_& module);

}  // namespace dietmt
