// Models that `dietmt models fetch` fetched by name, in the user's cache. Commands that read a
// model directory also accept such a name.
//
//   models/firefox/en-de      the model directory of firefox:en-de
//   downloads/firefox/en-de   the publisher's files (fetching/download_folder.h)
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dietmt::storage {

/// Whether the text has the form of a name: PUBLISHER:NAME or PUBLISHER:OWNER/NAME, of letters,
/// digits and - . _ (the publisher: lower-case letters and digits). No part starts with a dot.
bool is_model_name(const std::string& text);

/// $DIETMT_CACHE, else $XDG_CACHE_HOME/dietmt, else ~/.cache/dietmt. Throws ConfigError if none of
/// the variables is set.
std::filesystem::path cache_directory();

/// The path of a name below `models` and `downloads`: hf:OWNER/NAME becomes hf/OWNER+NAME.
std::filesystem::path name_in_cache(const std::string& name);

/// The model directory of a name, whether it exists or not.
std::filesystem::path fetched_directory(const std::string& name);

/// True if it does.
bool is_fetched(const std::string& name);

/// The names of what is below `models` or `downloads`, sorted.
std::vector<std::string> names_in_cache(const std::string& folder);

/// The directory of a fetched model if `path` is its name and nothing else has this path; else
/// `path`. Throws CheckpointError with the command to run if the model was not fetched.
std::filesystem::path located_model(const std::filesystem::path& path);

}  // namespace dietmt::storage
