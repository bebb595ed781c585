#include "python/bindings.h"

#include <algorithm>

#include "dietmt/error.h"

namespace py = pybind11;

namespace dietmt {

std::string line_of(py::handle item) {
  if (!py::isinstance<py::str>(item))
    throw py::type_error("a line must be str, not " +
                         std::string(py::str(py::type::of(item).attr("__name__"))));
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    throw InputError("a line has a lone surrogate, which is no text");
  }
  return {bytes, static_cast<size_t>(size)};
}

void use_protocol_2(const py::module_& module) {
  const py::object reduce = py::module_::import("builtins").attr("object").attr("__reduce_ex__");
  for (const auto& [name, type] : module.attr("__dict__").cast<py::dict>()) {
    if (!PyType_Check(type.ptr()) || py::hasattr(type, "__cause__")) continue;
    py::setattr(
        type, "__reduce_ex__",
        py::cpp_function([reduce](const py::object& self,
                                  int protocol) { return reduce(self, std::max(protocol, 2)); },
                         py::is_method(type)));
  }
}

}  // namespace dietmt
