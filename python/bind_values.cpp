#include <pybind11/operators.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <utility>

#include "common/option_rule.h"
#include "dietmt/tokenizer.h"
#include "dietmt/translator.h"
#include "python/bindings.h"

namespace py = pybind11;

namespace dietmt {
namespace {

std::vector<std::pair<std::int32_t, std::int32_t>> pairs_of(const Hypothesis& hypothesis) {
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (const WordPair& pair : hypothesis.alignment) pairs.emplace_back(pair.source, pair.target);
  return pairs;
}

void bind_results(py::module_& module) {
  py::class_<WordPair>(module, "WordPair").def(pickled(&WordPair::source, &WordPair::target));
  py::class_<Hypothesis>(module, "Hypothesis", "One translation of a line.")
      .def_readonly("text", &Hypothesis::text)
      .def_readonly("score", &Hypothesis::score,
                    "Sum of the token scores, normalized by length; of score(): the sum.")
      .def_readonly("tokens", &Hypothesis::tokens, "Pieces, with end of sentence.")
      .def_readonly("token_scores", &Hypothesis::token_scores,
                    "Log-probability of each token (natural logarithm).")
      .def_readonly("missing_terms", &Hypothesis::missing_terms,
                    "Target terms of the glossary that it lacks.")
      .def_readonly("missing_copies", &Hypothesis::missing_copies,
                    "With check=\"copies\": numbers, addresses and names that it lacks.")
      .def_property_readonly(
          "alignment", pairs_of,
          "With alignment=\"hard\": pairs (source word, target word), counted from 0.")
      .def_readonly("attention", &Hypothesis::attention,
                    "With alignment=\"soft\": of each token to each of the source tokens.")
      .def(py::self == py::self)
      .def(pickled(&Hypothesis::text, &Hypothesis::score, &Hypothesis::tokens,
                   &Hypothesis::token_scores, &Hypothesis::missing_terms,
                   &Hypothesis::missing_copies, &Hypothesis::alignment, &Hypothesis::attention))
      .def("__hash__", [](const Hypothesis& one) { return py::hash(py::str(one.text)); })
      .def("__repr__", [](const Hypothesis& one) {
        return py::str("Hypothesis({!r}, score={:.4f})").format(one.text, one.score);
      });

  const auto best = [](auto member) {
    return
        [member](const Translation& translation) { return translation.hypotheses.front().*member; };
  };
  py::class_<Translation>(module, "Translation", "The translations of one line, best first.")
      .def_property_readonly("text", best(&Hypothesis::text), "The best translation.")
      .def_property_readonly("score", best(&Hypothesis::score), "Of the best translation.")
      .def_property_readonly("tokens", best(&Hypothesis::tokens), "Of the best translation.")
      .def_property_readonly("token_scores", best(&Hypothesis::token_scores),
                             "Of the best translation.")
      .def_property_readonly("missing_terms", best(&Hypothesis::missing_terms),
                             "Of the best translation.")
      .def_property_readonly("missing_copies", best(&Hypothesis::missing_copies),
                             "Of the best translation.")
      .def_property_readonly(
          "alignment",
          [](const Translation& translation) { return pairs_of(translation.hypotheses.front()); },
          "Of the best translation.")
      .def_property_readonly("attention", best(&Hypothesis::attention), "Of the best translation.")
      .def_readonly("source_tokens", &Translation::source_tokens,
                    "With alignment=\"soft\": pieces of the line, with end of sentence.")
      .def_readonly("hypotheses", &Translation::hypotheses, "`nbest` translations, best first.")
      .def_readonly("restored_case", &Translation::restored_case,
                    "With letter_case=\"auto\": \"capitals\", \"title\" or \"words\".")
      .def_readonly("truncated", &Translation::truncated,
                    "The line had more tokens than max_source_length and was cut.")
      .def_readonly(
          "problem", &Translation::problem,
          "With guard=\"report\" or \"retry\": what is wrong, such as \"repeats itself\".")
      .def_readonly("replaced", &Translation::replaced,
                    "With guard=\"retry\": a second search replaced the translation that has the "
                    "problem.")
      .def_readonly("prefix_problem", &Translation::prefix_problem,
                    "With prefix: why the translation does not start with all of it.")
      .def(py::self == py::self)
      .def(pickled(&Translation::hypotheses, &Translation::truncated, &Translation::restored_case,
                   &Translation::problem, &Translation::replaced, &Translation::prefix_problem,
                   &Translation::source_tokens))
      .def("__hash__",
           [](const Translation& translation) { return py::hash(py::str(translation.text())); })
      .def("__str__", [](const Translation& translation) { return translation.text(); })
      .def("__repr__", [](const Translation& translation) {
        return py::str("Translation({!r}, score={:.4f})")
            .format(translation.text(), translation.hypotheses.front().score);
      });
}

void bind_options(py::module_& module) {
  py::class_<TranslatorOptions>(module, "TranslatorOptions")
      .def(py::init<>())
      .def_readwrite("device", &TranslatorOptions::device)
      .def_readwrite("weights", &TranslatorOptions::weights)
      .def_readwrite("shortlist", &TranslatorOptions::shortlist)
#define DIETMT_MODEL_OPTION(group, type, name, usual, placeholder, help, ...) \
  .def_readwrite(#name, &TranslatorOptions::name, help)
#include "nmt/search/search_options.def"
      ;
  py::dict usual, choices;
#define DIETMT_CALL_OPTION(group, type, name, value, placeholder, help, ...) \
  usual[#name] = type(value);                                                \
  choices[#name] = OptionRule{__VA_ARGS__}.choices;
#include "nmt/search/search_options.def"
  module.attr("search_defaults") = usual;
  module.attr("search_choices") = choices;
  py::class_<TranslateOptions>(module, "TranslateOptions")
      .def(py::init<>())
      .def_readwrite("source_tag", &TranslateOptions::source_tag)
      .def_readwrite("source_tags", &TranslateOptions::source_tags)
      .def_readwrite("source_language", &TranslateOptions::source_language)
      .def_readwrite("target_language", &TranslateOptions::target_language)
      .def_readwrite("source_languages", &TranslateOptions::source_languages)
      .def_readwrite("target_languages", &TranslateOptions::target_languages)
      .def_readwrite("glossary", &TranslateOptions::glossary)
      .def_readwrite("avoid", &TranslateOptions::avoid)
      .def_readwrite("alignment", &TranslateOptions::alignment)
      .def_readwrite("markup", &TranslateOptions::markup)
      .def_readwrite("keep", &TranslateOptions::keep)
      .def_readwrite("check", &TranslateOptions::check)
      .def_readwrite("letter_case", &TranslateOptions::letter_case)
      .def_readwrite("guard", &TranslateOptions::guard)
      .def_readwrite("split_sentences", &TranslateOptions::split_sentences)
#define DIETMT_CALL_OPTION(group, type, name, usual, placeholder, help, ...) \
  .def_readwrite(#name, &TranslateOptions::name, help)
#include "nmt/search/search_options.def"
      ;
}

}  // namespace

void bind_values(py::module_& module) {
  bind_results(module);
  bind_options(module);
  py::class_<Stop>(module, "Stop", "Ends a call of translate() from another thread.")
      .def(py::init<>())
      .def("set", &Stop::set);

  py::class_<Tokenizer>(module, "Tokenizer",
                        "A subword model (sentencepiece): text to piece ids and back.\n\n"
                        "file: a sentencepiece model, or MODEL/tokenizer.model.")
      .def(py::init([](const py::object& file) {
             if (!py::isinstance<py::str>(file) && !py::hasattr(file, "__fspath__"))
               throw py::type_error("file must be a path, not " + std::string(py::repr(file)));
             return Tokenizer(file.cast<std::filesystem::path>().string());
           }),
           py::arg("file"))
      .def(
          "encode",
          [](const Tokenizer& tokenizer, const py::object& line) {
            return tokenizer.encode(line_of(line));
          },
          py::arg("line"), "Piece ids, without end of sentence.")
      .def(
          "pieces",
          [](const Tokenizer& tokenizer, const py::object& line) {
            return tokenizer.pieces(line_of(line));
          },
          py::arg("line"), "The same as pieces.")
      .def("decode", &Tokenizer::decode, py::arg("ids"), "The text of piece ids.")
      .def("piece", &Tokenizer::piece, py::arg("id"))
      .def("__len__", &Tokenizer::vocabulary_size)
      .def_property_readonly("unknown_id", &Tokenizer::unknown_id)
      .def_property_readonly("begin_id", &Tokenizer::begin_id)
      .def_property_readonly("end_id", &Tokenizer::end_id);
}

}  // namespace dietmt
