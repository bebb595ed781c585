// The parts of the extension module, and what they share.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

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

void bind_translator(pybind11::module_& module);  // and the tokenizer
void bind_metrics(pybind11::module_& module);

}  // namespace dietmt
