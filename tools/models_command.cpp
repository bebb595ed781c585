// dietmt models: models of other publishers, fetched by name.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "common/process.h"
#include "fetching/argos_packages.h"
#include "fetching/download_folder.h"
#include "fetching/hub_listing.h"
#include "nmt/model/model_files.h"
#include "storage/fetched_models.h"
#include "tools/command_list.h"
#include "tools/commands.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

constexpr const char* kEnvironment = "DIETMT_MODELS_";

struct ModelsOptions {
  std::vector<std::string> names;
  std::string registry;
  std::string pair;
  bool offline = false;
  fetching::HttpOptions http;
};

void bind_registry(OptionTable& table, ModelsOptions& o) {
  table.add("registry", &o.registry, "FILE|URL",
            "registry to use instead of the one that ships with dietmt, share/dietmt/models.json");
}

void bind_network(OptionTable& table, ModelsOptions& o) {
  table.group("Network")
      .add("stall", &o.http.stall_seconds, "SECONDS",
           "time without a byte after which a connection is given up", {.least = 1, .most = 3600})
      .add("retries", &o.http.retries, "N",
           "further attempts after a failure that may pass, such as a lost connection",
           {.least = 0, .most = 1000});
}

// To be called with the names that the command was given.
void require_names(const OptionTable& table, const std::vector<std::string>& names) {
  std::vector<std::string> problems;
  for (const std::string& name : names)
    if (!storage::is_model_name(name))
      problems.push_back("'" + name +
                         "' is not the name of a model; names are like firefox:en-de or "
                         "hf:OWNER/NAME");
  table.check(problems);
}

std::vector<fetching::PublishedModel> read_registry(const ModelsOptions& o,
                                                    fetching::HttpClient& client) {
  constexpr size_t kMostRegistry = 64 << 20;
  if (fetching::is_http_url(o.registry))
    return fetching::parse_registry(client.text(o.registry, kMostRegistry), o.registry);
  const std::string file = o.registry.empty()
                               ? program_directory().parent_path() / "share/dietmt/models.json"
                               : fs::path(o.registry);
  return fetching::parse_registry(read_file(file), file);
}

// "downloaded": not imported yet.
std::string state_of(const std::string& name) {
  if (storage::is_fetched(name)) return "fetched";
  return fetching::DownloadFolder(name).complete() ? "downloaded" : "";
}

std::string list_line(const fetching::PublishedModel& model) {
  const std::optional<int64_t> size = model.size();
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", model.name, model.pair, model.kind,
                     size ? fmt::format("{:.1f}", static_cast<double>(*size) / 1e6) : "",
                     state_of(model.name),
                     model.hub.empty() ? fetching::described_licence(model.licence) : "");
}

int run_list(const std::vector<std::string>& arguments) {
  ModelsOptions o;
  bool fetched = false;
  OptionTable table("models list", "[--pair SRC-TGT]",
                    "Lists the models that can be fetched by name: name, language pair, kind, MB "
                    "to download, whether the model was fetched, and licence, separated by tabs. "
                    "Size and licence of OPUS-MT models are on the Hugging Face hub, which 'models "
                    "fetch' asks.");
  table.add("pair", &o.pair, "SRC-TGT", "only models for this language pair, such as en-de")
      .add("fetched", &fetched, "", "only models that were fetched");
  bind_registry(table, o);
  bind_network(table, o);
  table.environment(kEnvironment).basics({"pair", "fetched", "registry"});
  table.example("dietmt models list --pair en-de");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check();
  fetching::HttpClient client(o.http);
  std::vector<fetching::PublishedModel> models = read_registry(o, client);
  for (const char* folder : {"models", "downloads"})
    for (const std::string& name : storage::names_in_cache(folder))
      if (std::ranges::find(models, name, &fetching::PublishedModel::name) == models.end() &&
          !state_of(name).empty())
        models.push_back({.name = name});
  if (!o.pair.empty() &&
      std::ranges::find(models, o.pair, &fetching::PublishedModel::pair) == models.end())
    throw Error("--pair: no model for '" + o.pair + "'; a pair is like en-de");
  std::erase_if(models, [&](const fetching::PublishedModel& model) {
    return (!o.pair.empty() && model.pair != o.pair) ||
           (fetched && !storage::is_fetched(model.name));
  });
  std::cout << "name\tpair\tkind\tMB\tstate\tlicence\n";
  for (const fetching::PublishedModel& model : models) std::cout << list_line(model);
  if (models.empty())
    spdlog::info("no such model was fetched; 'dietmt models list' lists all that can be");
  return 0;
}

void show(const fetching::PublishedModel& model, const fetching::DownloadFolder& folder) {
  const std::optional<int64_t> size = model.size();
  spdlog::info("{}: {}, {}", model.name, model.kind,
               size ? fetching::megabytes(*size) : "size not published");
  spdlog::info("licence: {}", fetching::described_licence(model.licence));
  for (const fetching::PublishedFile& file : model.files) {
    const std::string first = folder.first_sha256(file);
    spdlog::info("  {}  {}  SHA-256 {}", file.name,
                 file.size < 0 ? "size not published" : fmt::format("{} bytes", file.size),
                 !file.sha256.empty() ? file.sha256
                 : !first.empty()     ? first + " (of the first download)"
                                      : "not published, recorded at the download");
  }
}

// A step of dietmt, as a user would run it.
void run_step(const std::vector<std::string>& words, const std::string& from) {
  try {
    run_dietmt(words);
  } catch (const Error& error) {
    throw Error(std::string(error.what()) + "; the model's files are in " + from);
  }
}

// The model directory of `name`, from the publisher's files. Commands complete it under another
// name first, `scratch`.
void import_and_quantize(const std::string& name, const std::string& from,
                         const std::string& scratch) {
  const std::string model = storage::fetched_directory(name);
  if (!fs::exists(program_directory() / "dietmt-torch"))
    throw Error(
        fmt::format("{} cannot be imported, because 'dietmt import' needs dietmt-torch: "
                    "install dietmt-train and run this command again, or copy a model that "
                    "was imported elsewhere to {}",
                    from, model));
  fs::remove_all(scratch);
  for (const fs::path path : {scratch, model}) fs::create_directories(path.parent_path());
  run_step({"import", "--from", from, "--output", scratch}, from);
  if (nmt::open_model(scratch).quantization.empty())
    run_step({"quantize", "--model", scratch, "--output", model}, from);
  else
    fs::rename(scratch, model);
  fs::remove_all(scratch);
}

void fetch(const std::string& name, const ModelsOptions& o, fetching::HttpClient& client) {
  const fetching::FetchLock lock(name);
  fetching::DownloadFolder folder(name);
  if (!storage::is_fetched(name)) {
    if (!folder.complete()) {
      if (o.offline)
        throw Error(name + ": its files are not in the cache, and --offline forbids to fetch them");
      fetching::PublishedModel model = fetching::published_model(read_registry(o, client), name);
      fetching::look_up(client, model);
      show(model, folder);
      folder.download(client, model);
    }
    import_and_quantize(name, folder.import_source(), folder.scratch());
  }
  std::cout << name << '\t' << storage::fetched_directory(name).string() << std::endl;
}

int run_fetch(const std::vector<std::string>& arguments) {
  ModelsOptions o;
  OptionTable table("models fetch", "NAME...",
                    "Downloads models, imports them and quantizes them to int8. Afterwards every "
                    "command takes the name as a model directory. Shows sizes, licence and SHA-256 "
                    "before the download, continues an interrupted one, and prints name and "
                    "directory of each model. A model that was fetched before stays as it is.");
  table.add("name", &o.names, "NAME...",
            "name in the registry, such as firefox:en-de, or hf:OWNER/NAME: a repository of the "
            "Hugging Face hub",
            {.required = true});
  bind_registry(table, o);
  table.add("offline", &o.offline, "", "use only what is in the cache");
  bind_network(table, o);
  table.positional("name").environment(kEnvironment).basics({"registry", "offline"});
  table.example("dietmt models fetch firefox:en-de");
  table.example("dietmt models fetch hf:Helsinki-NLP/opus-mt-en-de");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  require_names(table, o.names);
  explain_interruption("interrupted; the same command continues");
  fetching::HttpClient client(o.http);
  for (const std::string& name : o.names) fetch(name, o, client);
  return 0;
}

// Packages that cannot be imported, such as those with BPE, are left out.
void import_package(const fetching::ArgosPackage& package) {
  const std::string name = fetching::name_of_package(package.path);
  const std::string model = storage::fetched_directory(name);
  const fetching::FetchLock lock(name);
  try {
    if (!storage::is_fetched(name))
      import_and_quantize(name, package.path, fetching::DownloadFolder(name).scratch());
    std::cout << package.source << '-' << package.target << '\t' << model << std::endl;
  } catch (const Error& error) {
    spdlog::warn("{}; the package is left out", error.what());
  }
}

int run_argos(const std::vector<std::string>& arguments) {
  std::string directory;
  OptionTable table("models argos", "DIR",
                    "Imports the packages in a data directory of Argos Translate or LibreTranslate "
                    "into the cache and quantizes them to int8, each once. Prints language pair "
                    "and directory of each model. 'serve --argos' does the same and serves them.");
  table
      .add("from", &directory, "DIR",
           "directory with packages, or with a directory 'packages' of them: .argosmodel files or "
           "directories with metadata.json",
           {.required = true})
      .positional("from")
      .example("dietmt models argos ~/.local/share/argos-translate");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check();
  explain_interruption("interrupted; the same command continues");
  for (const fetching::ArgosPackage& package : fetching::argos_packages(directory))
    import_package(package);
  return 0;
}

int run_remove(const std::vector<std::string>& arguments) {
  ModelsOptions o;
  OptionTable table("models remove", "NAME...",
                    "Removes fetched models and their downloaded files from the cache.");
  table.add("name", &o.names, "NAME...", "name of a fetched model", {.required = true});
  table.positional("name").example("dietmt models remove firefox:en-de");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  require_names(table, o.names);
  for (const std::string& name : o.names) {
    const fetching::FetchLock lock(name);
    fetching::DownloadFolder folder(name);
    if (!storage::is_fetched(name) && !folder.has_files())
      throw Error(name + ": nothing of it is in the cache");
    fs::remove_all(storage::fetched_directory(name));
    folder.remove();
  }
  return 0;
}

}  // namespace

int run_models(const std::vector<std::string>& arguments) {
  const CommandList list{"dietmt models",
                         "Models of Firefox, OPUS-MT, Argos and others, fetched by name.",
                         {{"list", "list the models that can be fetched", run_list},
                          {"fetch", "download, import and quantize models", run_fetch},
                          {"argos", "import the packages of an Argos installation", run_argos},
                          {"remove", "remove fetched models", run_remove}},
                         "dietmt models fetch firefox:en-de"};
  return list.run(arguments);
}

}  // namespace dietmt::tools
