#include <pybind11/operators.h>

#include "dietmt/metrics.h"
#include "python/bindings.h"

namespace py = pybind11;

namespace dietmt {
namespace {

py::dict figures_of(const EvaluationScore& score) {
  py::dict figures;
  for (const auto& [name, value] : score.figures) figures[py::str(name)] = value;
  return figures;
}

}  // namespace

void bind_metrics(py::module_& module) {
  using Options = EvaluateOptions;
  py::class_<Options>(module, "EvaluateOptions")
      .def(py::init<>())
      .def_readwrite("metric", &Options::metric)
      .def_readwrite("lowercase", &Options::lowercase)
      .def_readwrite("tokenize", &Options::tokenize)
      .def_readwrite("mecab_dictionary", &Options::mecab_dictionary)
      .def_readwrite("smooth", &Options::smooth)
      .def_readwrite("smooth_value", &Options::smooth_value)
      .def_readwrite("effective_order", &Options::effective_order)
      .def_readwrite("max_order", &Options::max_order)
      .def_readwrite("char_order", &Options::char_order)
      .def_readwrite("word_order", &Options::word_order)
      .def_readwrite("beta", &Options::beta)
      .def_readwrite("whitespace", &Options::whitespace)
      .def_readwrite("eps_smoothing", &Options::eps_smoothing)
      .def_readwrite("normalized", &Options::normalized)
      .def_readwrite("no_punct", &Options::no_punct)
      .def_readwrite("asian_support", &Options::asian_support)
      .def_readwrite("case_sensitive", &Options::case_sensitive)
      .def_readwrite("sentence_scores", &Options::sentence_scores)
      .def_readwrite("confidence", &Options::confidence)
      .def_readwrite("confidence_samples", &Options::confidence_samples)
      .def_readwrite("paired", &Options::paired)
      .def_readwrite("paired_samples", &Options::paired_samples)
      .def_readwrite("seed", &Options::seed);

  py::class_<EvaluationScore>(module, "Score", "A score of one system by one metric.")
      .def_readonly("name", &EvaluationScore::name, "BLEU, chrF2, chrF2++ or TER")
      .def_readonly("score", &EvaluationScore::score, "In percent, not rounded.")
      .def_readonly("signature", &EvaluationScore::signature,
                    "Everything that the score depends on, with the fields of sacreBLEU.")
      .def_property_readonly("figures", &figures_of, "Precisions, brevity penalty and others.")
      .def_readonly("confidence_mean", &EvaluationScore::confidence_mean,
                    "Mean of the resampled scores, if asked for.")
      .def_readonly("confidence_half_width", &EvaluationScore::confidence_half_width,
                    "Half of the 95 % interval, if asked for.")
      .def_readonly("p_value", &EvaluationScore::p_value,
                    "Of the difference from the first system, if asked for.")
      .def_readonly("sentence_scores", &EvaluationScore::sentence_scores,
                    "The score of each sentence, if asked for.")
      .def(py::self == py::self)
      .def("__hash__",
           [](const EvaluationScore& score) { return py::hash(py::float_(score.score)); })
      .def(pickled(&EvaluationScore::name, &EvaluationScore::score, &EvaluationScore::signature,
                   &EvaluationScore::figures, &EvaluationScore::confidence_mean,
                   &EvaluationScore::confidence_half_width, &EvaluationScore::p_value,
                   &EvaluationScore::sentence_scores))
      .def("__float__", [](const EvaluationScore& score) { return score.score; })
      .def("__repr__", [](const EvaluationScore& score) {
        return py::str("Score({} = {:.2f}, {})").format(score.name, score.score, score.signature);
      });

  module.def("evaluate", &evaluate, py::arg("systems"), py::arg("references"), py::arg("options"),
             py::call_guard<py::gil_scoped_release>());
}

}  // namespace dietmt
