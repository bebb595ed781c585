// The extension module with LibTorch: the Translator of libdietmt-torch.so.
#include "python/bindings.h"

PYBIND11_MODULE(_dietmt_torch, module) {
  pybind11::module_::import("dietmt._dietmt");  // the types of values, and exceptions
  dietmt::bind_translator(module);
  dietmt::use_protocol_2(module);
}
