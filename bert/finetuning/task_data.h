// The sets that a task is trained and validated on: found, read and encoded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bert/finetuning/classification_task.h"

namespace dietmt::bert {

struct SetFile {
  std::string name = {};  // of the set; empty for the first one
  std::string path = {};
  std::string language = {};  // to read, where a file holds several or the metric asks for it
};

struct TaskFiles {
  std::string train = {};
  std::vector<SetFile> valid = {};
};

/// The official files of a task in `directory`, plain or with .gz: training, and every development
/// set, or test set where there is no other. Of a task in several languages those in `languages`,
/// or where it is empty those that are there; English comes first. Throws ConfigError for a
/// language that the task does not have, DataError naming missing files.
TaskFiles find_files(const data::Task& task, const std::filesystem::path& directory,
                     const std::vector<std::string>& languages);

/// A user's own files for validation; all but the first are named after their files, up to the
/// first dot. Throws ConfigError if two of these have one name.
std::vector<SetFile> named_sets(const std::vector<std::string>& paths);

struct LabelledData {
  LabelledInputs train;
  std::vector<LabelledInputs> valid;
};

/// Reads and encodes; labels that the task does not name become those of the training file, in
/// `description`. Logs how much was read and cut. Throws as read_examples().
LabelledData read_labelled(TaskDescription& description, const TaskFiles& files,
                           const data::BertTokenizer& tokenizer);

}  // namespace dietmt::bert
