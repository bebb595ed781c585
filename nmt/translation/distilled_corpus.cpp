#include "nmt/translation/distilled_corpus.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "common/files.h"

namespace dietmt::nmt {
namespace fs = std::filesystem;
namespace {

// Options that affect the speed, not the lines.
constexpr const char* kMachineOptions[] = {"workers", "threads", "batch-tokens"};

std::string stamp(const fs::directory_entry& file) {
  return file.path().string() + ' ' + std::to_string(file.file_size()) + ' ' +
         std::to_string(static_cast<int64_t>(file.last_write_time().time_since_epoch().count()));
}

}  // namespace

DistilledCorpus::DistilledCorpus(const std::string& source_file, const std::string& target_file,
                                 Unfinished unfinished)
    : sources_(source_file, unfinished), targets_(target_file, unfinished) {}

DistilledCorpus::DistilledCorpus(const std::string& source_file, const std::string& target_file,
                                 const std::string& settings)
    : DistilledCorpus(source_file, target_file,
                      settings.empty() ? Unfinished::kRemoved : Unfinished::kKept) {
  if (settings.empty()) return;
  settings_file_ = target_file + ".part.settings";
  const bool known = fs::exists(settings_file_) && read_file(settings_file_) == settings;
  if (known) {
    const int64_t sources = sources_.lines_left(), targets = targets_.lines_left();
    const bool target_is_done =
        targets == 0 && sources > 0 && fs::exists(target_file) &&
        fs::last_write_time(target_file) >= fs::last_write_time(settings_file_);
    if (target_is_done) unfinished_target_ = target_file + ".part";
    lines_ = target_is_done ? sources : std::min(sources, targets);
  }
  sources_.keep(lines_);
  if (unfinished_target_.empty()) targets_.keep(lines_);
  if (!known) write_file_atomically(settings_file_, settings);
}

void DistilledCorpus::write(const std::string& source, const std::string& target) {
  sources_.write(source);
  targets_.write(target);
}

void DistilledCorpus::commit() {
  if (unfinished_target_.empty()) targets_.commit();
  sources_.commit();
  if (!unfinished_target_.empty()) fs::remove(unfinished_target_);
  if (!settings_file_.empty()) fs::remove(settings_file_);
}

std::string text_settings(std::span<const std::pair<std::string, std::string>> options,
                          const std::vector<std::string>& paths) {
  std::ostringstream text;
  for (const auto& [name, value] : options)
    if (std::ranges::find(kMachineOptions, name) == std::end(kMachineOptions))
      text << name << ' ' << value << '\n';
  for (const std::string& path : paths) {
    std::error_code none;
    if (fs::is_regular_file(path, none)) text << stamp(fs::directory_entry(path)) << '\n';
    for (const fs::path& folder : {fs::path(path), fs::path(path) / "best"}) {
      std::set<std::string> files;
      for (const auto& entry : fs::directory_iterator(folder, none))
        if (entry.is_regular_file()) files.insert(stamp(entry));
      for (const std::string& file : files) text << file << '\n';
    }
  }
  return text.str();
}

}  // namespace dietmt::nmt
