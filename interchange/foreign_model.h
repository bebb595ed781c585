// Recognises models of other programs by their files.
#pragma once

#include <filesystem>
#include <string>

namespace dietmt::interchange {

/// Whether `path` is a directory of CTranslate2, or an Argos package, which holds one: an
/// .argosmodel file or its unpacked directory.
bool is_ctranslate2(const std::filesystem::path& path);

/// Whether `path` is a directory with a checkpoint of fairseq and its dictionaries, or such a
/// checkpoint.
bool is_fairseq(const std::filesystem::path& path);

/// Whether `path` is a directory with the only checkpoint of OpenNMT-py (.pt), such a checkpoint,
/// or a directory of eole. Any .pt file may be one that has no dictionaries of fairseq.
bool is_opennmt(const std::filesystem::path& path);

/// Whether `path` is a directory of JoeyNMT: config.yaml and src_vocab.txt.
bool is_joeynmt(const std::filesystem::path& path);

/// Whether `path` is a directory of Sockeye: params.best, config and vocab.src.0.json.
bool is_sockeye(const std::filesystem::path& path);

/// Whether `path` is a directory of eole.
bool is_eole(const std::filesystem::path& path);

/// Why `command`, "import" or "bert import", cannot read `from`: names what is there, and the
/// command that reads it or a workaround. "" if `command` reads it or its files are not recognised.
std::string import_problem(const std::filesystem::path& from, const std::string& command);

}  // namespace dietmt::interchange
