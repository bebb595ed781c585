// The extension module without LibTorch: the public C++ headers, and exceptions. dietmt/*.py wrap
// it for users.
#include <pybind11/pybind11.h>

#include <cstring>

#include "dietmt/error.h"
#include "dietmt/messages.h"
#include "python/bindings.h"

namespace py = pybind11;

namespace {

// Messages may hold paths that are not UTF-8.
void set_error(PyObject* type, const char* message) {
  const auto text = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      message, static_cast<Py_ssize_t>(std::strlen(message)), "backslashreplace"));
  PyErr_SetObject(type, text.ptr());
}

// Kept for the life of the process, as exceptions of modules are.
PyObject *base_error, *usage_error, *input_error, *model_error;

PyObject* add_exception(py::module_& module, const char* name, const char* doc, py::handle bases) {
  const std::string full = std::string("dietmt.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw py::error_already_set();
  module.add_object(name, py::handle(type));
  return type;
}

void add_exceptions(py::module_& module) {
  base_error =
      add_exception(module, "Error", "Any failure of dietmt.", py::handle(PyExc_RuntimeError));
  const auto with = [](PyObject* kind) {
    return py::make_tuple(py::handle(base_error), py::handle(kind));
  };
  usage_error = add_exception(module, "UsageError", "A wrong option or option value.",
                              with(PyExc_ValueError));
  input_error = add_exception(module, "InputError", "Bad input: text, a file, or unequal lengths.",
                              with(PyExc_ValueError));
  model_error = add_exception(module, "ModelError",
                              "A model directory that cannot be read, or that needs LibTorch.",
                              py::handle(base_error));
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const dietmt::UsageError& e) {
      set_error(usage_error, e.what());
    } catch (const dietmt::InputError& e) {
      set_error(input_error, e.what());
    } catch (const dietmt::ModelError& e) {
      set_error(model_error, e.what());
    } catch (const dietmt::Exception& e) {
      set_error(base_error, e.what());
    }
  });
}

}  // namespace

PYBIND11_MODULE(_dietmt, module) {
  dietmt::log_to_stderr();
  add_exceptions(module);
  dietmt::bind_values(module);
  dietmt::bind_translator(module);
  dietmt::bind_metrics(module);
  dietmt::use_protocol_2(module);
  module.attr("version") = DIETMT_VERSION;
}
