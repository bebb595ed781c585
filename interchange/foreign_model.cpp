#include "interchange/foreign_model.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

struct Kind {
  std::string what;
  std::string command;  // that reads it, or ""
  std::string advice = {};
};

const std::string kOriginal =
    "import the model that it was made from, such as OPUS-MT's on Hugging Face";
const std::string kCheckpoint =
    "export the model to MarianMT of Hugging Face's transformers first, if its program supports "
    "that";

bool any_exists(const fs::path& directory, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* name) { return fs::exists(directory / name); });
}

// A directory with files of CTranslate2.
bool has_ctranslate2(const fs::path& directory) {
  return fs::exists(directory / "model.bin") &&
         any_exists(directory, {"shared_vocabulary.json", "shared_vocabulary.txt",
                                "source_vocabulary.json", "source_vocabulary.txt"});
}

// The first file in the directory, by name, with this extension.
fs::path file_with(const fs::path& directory, const std::string& extension) {
  fs::path first;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(directory, unreadable))
    if (entry.path().extension() == extension && (first.empty() || entry.path() < first))
      first = entry.path();
  return first;
}

// By model_type in transformers' config.json, which dietmt's own lacks.
std::optional<Kind> by_config(const fs::path& directory) {
  nlohmann::json config;
  try {
    config = read_json(directory / "config.json");
  } catch (const Error&) {
    return {};  // its reader says what is wrong
  }
  if (!config.is_object()) return {};
  if (config.contains("format") && config.contains("model"))
    return Kind{"a model of dietmt, which needs no import", ""};
  const auto type = config.find("model_type");
  if (type == config.end() || !type->is_string()) return {};
  const std::string name = *type;
  if (name == "marian") return Kind{"a MarianMT model", "import"};
  constexpr std::array kTranslators = {"m2m_100", "bart", "fsmt", "mbart", "t5", "mt5"};
  if (std::ranges::find(kTranslators, name) != kTranslators.end())
    return Kind{"a translation model (" + name + ") of Hugging Face", "import"};
  if (name == "bert" || name == "roberta" || name == "xlm-roberta")
    return Kind{"an encoder (" + name + ") of Hugging Face", "bert import"};
  return Kind{
      "a model of Hugging Face of the type " + name, "",
      "MarianMT, M2M-100, NLLB, BART, FSMT, mBART, T5, MADLAD, BERT and XLM-R models can be "
      "imported"};
}

std::optional<Kind> by_files(const fs::path& directory) {
  if (is_ctranslate2(directory)) return Kind{"a CTranslate2 model", "import"};
  if (any_exists(directory, {"hparams.yaml"})) return Kind{"a COMET checkpoint", "import"};
  if (is_eole(directory)) return Kind{"a model of eole", "import"};
  if (is_sockeye(directory)) return Kind{"a model of Sockeye", "import"};
  if (fs::exists(directory / "config.json")) return by_config(directory);
  if (is_fairseq(directory)) return Kind{"a model of fairseq", "import"};
  if (is_joeynmt(directory)) return Kind{"a model of JoeyNMT", "import"};
  if (is_opennmt(directory)) return Kind{"a checkpoint of OpenNMT-py", "import"};
  if (any_exists(directory, {"best", "last", "data"}) && fs::exists(directory / "settings.json"))
    return Kind{"a training run of dietmt, which needs no import", ""};
  if (const fs::path npz = file_with(directory, ".npz"); !npz.empty())
    return Kind{"a directory with a Marian model", "",
                "give the file: --from " + npz.string() + " --vocabulary FILE --pieces FILE"};
  for (const char* extension : {".ckpt", ".pth"})
    if (!file_with(directory, extension).empty())
      return Kind{"a directory with a PyTorch checkpoint of another program", "", kCheckpoint};
  return {};
}

std::optional<Kind> by_name(const fs::path& file) {
  const std::string extension = file.extension(), name = file.filename();
  const auto directory = [&] { return parent_directory(file); };
  if (is_fairseq(file)) return Kind{"a model of fairseq", "import"};
  if (is_opennmt(file)) return Kind{"a checkpoint of OpenNMT-py", "import"};
  if (extension == ".argosmodel") return Kind{"an Argos package", "import"};
  if (name == "pytorch_model.bin" || extension == ".safetensors")
    return Kind{"the weights of a model of Hugging Face", "",
                "give their directory: --from " + directory().string()};
  if (name == "model.bin" && has_ctranslate2(directory()))
    return Kind{"the weights of a CTranslate2 model", "",
                "give their directory: --from " + directory().string()};
  if (extension == ".ckpt" && is_joeynmt(directory()))
    return Kind{"the weights of a model of JoeyNMT", "",
                "give their directory: --from " + directory().string()};
  if (name == "params.best" && is_sockeye(directory()))
    return Kind{"the weights of a model of Sockeye", "",
                "give their directory: --from " + directory().string()};
  if (extension == ".pth" || extension == ".ckpt")
    return Kind{"a PyTorch checkpoint of another program", "", kCheckpoint};
  if (extension == ".onnx") return Kind{"an ONNX model", "", kOriginal};
  constexpr std::array kArchives = {".zip", ".tar", ".gz", ".tgz", ".xz", ".zst"};
  if (std::ranges::find(kArchives, extension) != kArchives.end())
    return Kind{"an archive", "", "unpack it and give the directory"};
  return {};
}

}  // namespace

bool is_ctranslate2(const fs::path& path) {
  if (!fs::is_directory(path)) return path.extension() == ".argosmodel";
  return has_ctranslate2(path) ||
         (any_exists(path, {"metadata.json"}) && has_ctranslate2(path / "model"));
}

bool is_fairseq(const fs::path& path) {
  const bool is_directory = fs::is_directory(path);
  const fs::path directory = is_directory ? path : parent_directory(path);
  if (is_directory ? file_with(path, ".pt").empty() : path.extension() != ".pt") return false;
  std::error_code unreadable;
  const fs::directory_iterator entries(directory, unreadable);
  return std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename();
    return name.starts_with("dict.") && name.ends_with(".txt");
  });
}

bool is_eole(const fs::path& path) {
  return fs::exists(path / "vocab.json") && fs::exists(path / "model.00.safetensors");
}

bool is_joeynmt(const fs::path& path) {
  return fs::exists(path / "config.yaml") && fs::exists(path / "src_vocab.txt");
}

bool is_sockeye(const fs::path& path) {
  return fs::exists(path / "params.best") && fs::exists(path / "config") &&
         fs::exists(path / "vocab.src.0.json");
}

bool is_opennmt(const fs::path& path) {
  if (!fs::is_directory(path)) return path.extension() == ".pt" && !is_fairseq(path);
  if (is_eole(path)) return true;
  return !fs::exists(path / "config.json") && !file_with(path, ".pt").empty() && !is_fairseq(path);
}

std::string import_problem(const fs::path& from, const std::string& command) {
  const std::optional<Kind> kind = fs::is_directory(from) ? by_files(from) : by_name(from);
  if (!kind || kind->command == command) return {};
  const std::string found = "--from " + from.string() + " is " + kind->what;
  if (!kind->command.empty()) return found + ": use 'dietmt " + kind->command + "'";
  return kind->advice.empty() ? found : found + ", which cannot be imported: " + kind->advice;
}

}  // namespace dietmt::interchange
