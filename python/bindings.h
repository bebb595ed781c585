// The parts of the extension module.
#pragma once

#include <pybind11/pybind11.h>

namespace dietmt {

void bind_translator(pybind11::module_& module);  // and the tokenizer
void bind_metrics(pybind11::module_& module);

}  // namespace dietmt
