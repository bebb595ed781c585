#include "reporting/progress.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "common/error.h"
#include "common/files.h"
#include "common/memory_use.h"
#include "reporting/event_file.h"
#include "reporting/progress_bar.h"

namespace dietmt::reporting {
namespace fs = std::filesystem;
namespace {

using nlohmann::ordered_json;

constexpr const char* kFile = "progress.jsonl";

// Keeps the entries up to `first_update`; returns the training seconds of the last one.
double truncate_entries(const fs::path& path, int64_t first_update) {
  if (!fs::exists(path)) return 0;
  std::string kept;
  double seconds = 0;
  for (const ordered_json& entry : read_progress(path)) {
    if (entry.value("update", int64_t{0}) > first_update || first_update == 0) continue;
    kept += entry.dump() + "\n";
    if (const auto spent = entry.find("seconds"); spent != entry.end() && spent->is_number()) {
      seconds = std::max(seconds, spent->get<double>());
    }
  }
  if (kept != read_file(path)) write_file_atomically(path, kept);
  return seconds;
}

// RFC 4180.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

struct Progress::Impl {
  Impl(ProgressOptions given, int64_t first_update)
      : options(std::move(given)), bar(0, first_update) {
    last.update = first_update;
    if (options.output.empty()) return;
    std::error_code error;
    fs::create_directories(options.output, error);
    if (error) {
      throw Error(options.output.string() + ": cannot be created: " + error.message());
    }
    const fs::path path = options.output / kFile;
    seconds = truncate_entries(path, first_update);
    lines.emplace(path);
    if (options.event_files) events.emplace(options.output, first_update + 1);
  }

  // Curves must not end a training run: warns once and drops what cannot be written.
  void write(const std::string& kind, int64_t update, const ordered_json& values) {
    if (!lines) return;
    ordered_json entry = {
        {"kind", kind}, {"update", update}, {"seconds", std::round(seconds * 1e3) / 1e3}};
    entry.update(values);
    try {
      lines->append(entry.dump() + "\n");
      if (events) {
        for (const auto& [name, value] : values.items()) {
          events->add_scalar(kind + "/" + name, update, value.get<double>());
        }
      }
      complained = false;
    } catch (const std::exception& error) {
      if (!complained) spdlog::warn("progress is not recorded: {}", error.what());
      complained = true;
    }
  }

  std::string details() const {
    const double rate = interval_seconds > 0 ? interval_tokens / interval_seconds : 0;
    return fmt::format("epoch {:.2f}  loss {:.3f}  {:.0f} tokens/s  lr {:.2e}", last.epoch,
                       interval_loss / std::max(interval_tokens, 1.0), rate, last.learning_rate);
  }

  void end_interval() {
    if (interval_tokens <= 0) return;
    const double rate = interval_seconds > 0 ? interval_tokens / interval_seconds : 0;
    const int64_t memory = last.peak_memory > 0 ? last.peak_memory : peak_memory();
    write("train", last.update,
          {{"epoch", last.epoch},
           {"loss", interval_loss / interval_tokens},
           {"tokens_per_second", std::round(rate)},
           {"peak_memory_mb", std::round(static_cast<double>(memory) / 1e6)},
           {"learning_rate", last.learning_rate},
           {"gradient_norm", last.gradient_norm}});
    if (!stderr_is_terminal()) {
      const double left = bar.seconds_left(last.update);
      spdlog::info("update {}{}  {}  gradient {:.2f}{}", last.update,
                   last.last > 0 ? fmt::format("/{}", last.last) : "", details(),
                   last.gradient_norm, left > 0 ? "  " + duration_text(left) + " left" : "");
    }
    interval_loss = interval_tokens = interval_seconds = 0;
  }

  ProgressOptions options;
  ProgressBar bar;
  std::optional<AppendFile> lines;
  std::optional<EventFile> events;
  double seconds = 0;  // spent in training, over all resumptions
  bool complained = false;
  UpdateStats last;
  double interval_loss = 0;  // summed over tokens
  double interval_tokens = 0;
  double interval_seconds = 0;
};

Progress::Progress(ProgressOptions options, int64_t first_update)
    : impl_(std::make_unique<Impl>(std::move(options), first_update)) {}

Progress::~Progress() { finish(); }

void Progress::update(const UpdateStats& stats) {
  const auto tokens = static_cast<double>(stats.tokens);
  const int64_t interval = std::max<int64_t>(impl_->options.log_interval, 1);
  const bool ends = stats.update / interval > impl_->last.update / interval;
  impl_->last = stats;
  impl_->seconds += stats.seconds;
  impl_->interval_loss += stats.loss * tokens;
  impl_->interval_tokens += tokens;
  impl_->interval_seconds += stats.seconds;
  impl_->bar.set_total(stats.last);
  impl_->bar.show(stats.update, impl_->details());
  if (ends) impl_->end_interval();
}

void Progress::validation(const ValidationStats& stats) {
  ordered_json values = ordered_json::object();
  std::string text;
  for (const auto& [name, score] : stats.scores) {
    values[name] = score;
    text +=
        fmt::format("  {} {:.{}f}", name, score, name.find("loss") == std::string::npos ? 2 : 4);
  }
  impl_->write("valid", stats.update, values);
  spdlog::info("validation at update {}{}  ({})", stats.update, text, duration_text(stats.seconds));
}

void Progress::finish() {
  impl_->end_interval();
  impl_->bar.finish();
}

std::vector<ordered_json> read_progress(const fs::path& path) {
  std::vector<ordered_json> entries;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) {
    ordered_json entry = ordered_json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (entry.is_object()) entries.push_back(std::move(entry));
  }
  return entries;
}

std::string progress_table(const std::vector<ordered_json>& entries) {
  std::vector<std::string> names;
  for (const ordered_json& entry : entries)
    for (const auto& [name, value] : entry.items())
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::string table;
  for (const std::string& name : names) table += (table.empty() ? "" : ",") + csv_field(name);
  table += '\n';
  for (const ordered_json& entry : entries) {
    std::string line;
    for (const std::string& name : names) {
      if (name != names.front()) line += ',';
      const auto value = entry.find(name);
      if (value == entry.end() || value->is_null()) continue;  // null: not a number
      line += csv_field(value->is_string() ? value->get<std::string>() : value->dump());
    }
    table += line + '\n';
  }
  return table;
}

void write_progress_table(const std::filesystem::path& output) {
  write_file_atomically(output / "progress.csv",
                        progress_table(read_progress(output / "progress.jsonl")));
}

}  // namespace dietmt::reporting
