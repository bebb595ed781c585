#include "storage/checkpoint.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/files.h"
#include "common/random.h"
#include "storage/safetensors_file.h"
#include "tests/common/test_directory.h"

namespace dietmt::storage {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const CheckpointPolicy kBleu{
    .keep_last = 2, .keep_best = 2, .metric = "bleu", .higher_is_better = true};

void save_weights(const fs::path& directory, const std::vector<float>& weights) {
  write_safetensors(directory / "model.safetensors",
                    {{"w", "F32", {std::ssize(weights)}, [&](AtomicFile& file) {
                        file.write({reinterpret_cast<const char*>(weights.data()),
                                    weights.size() * sizeof(float)});
                      }}});
}

std::vector<float> load_weights(const fs::path& directory) {
  const SafetensorsFile file = open_safetensors(directory / "model.safetensors");
  const TensorView& tensor = file.tensors.at("w");
  std::vector<float> weights(tensor.bytes / sizeof(float));
  std::memcpy(weights.data(), tensor.data, tensor.bytes);
  return weights;
}

void save(CheckpointStore& store, int64_t update, std::map<std::string, double> scores,
          bool by_stop = false) {
  store.save(
      update, scores,
      [&](const fs::path& directory) {
        write_text(directory / "model.safetensors", "weights " + std::to_string(update));
      },
      by_stop);
}

std::vector<int64_t> updates_of(const std::vector<Checkpoint>& checkpoints) {
  std::vector<int64_t> updates;
  for (const Checkpoint& checkpoint : checkpoints) updates.push_back(checkpoint.update);
  return updates;
}

template <typename Run>
std::string error_of(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(CheckpointStore, StartsEmpty) {
  const TestDirectory directory;
  const CheckpointStore store(directory / "run", kBleu);
  EXPECT_FALSE(store.latest());
  EXPECT_FALSE(store.best());
  EXPECT_FALSE(fs::exists(fs::symlink_status(directory / "run/best")));
}

TEST(CheckpointStore, KeepsTheBestAndTheLast) {
  const TestDirectory directory;
  CheckpointStore store(directory.path(), kBleu);
  const std::vector<double> bleu{10, 30, 20, 29, 15, 12};
  for (size_t i = 0; i < bleu.size(); ++i) {
    save(store, 100 * static_cast<int64_t>(i + 1), {{"bleu", bleu[i]}});
  }
  EXPECT_THAT(updates_of(whole_checkpoints(directory.path())), ElementsAre(200, 400, 500, 600));
  EXPECT_THAT(updates_of(store.best_n(3)), ElementsAre(200, 400, 500));
  EXPECT_THAT(updates_of(store.last_n(3)), ElementsAre(600, 500, 400));
  EXPECT_EQ(store.best()->scores.at("bleu"), 30);
  EXPECT_EQ(fs::read_symlink(directory / "best"), "checkpoints/update-00000200");
  EXPECT_EQ(fs::canonical(directory / "last").filename(), "update-00000600");
}

TEST(CheckpointStore, AStopChangesNothingThatARunLeaves) {
  const TestDirectory directory;
  {
    CheckpointStore store(directory.path(), kBleu);
    for (const int64_t update : {10, 20}) save(store, update, {});
    save(store, 23, {}, /*by_stop=*/true);
  }
  EXPECT_THAT(updates_of(whole_checkpoints(directory.path())), ElementsAre(10, 20, 23));
  EXPECT_EQ(newest_checkpoint(directory.path())->update, 23);
  CheckpointStore store(directory.path(), kBleu);
  save(store, 30, {});
  EXPECT_THAT(updates_of(whole_checkpoints(directory.path())), ElementsAre(20, 30));
}

TEST(CheckpointStore, RemembersScoresAndPolicyOverRestarts) {
  const TestDirectory directory;
  {
    CheckpointStore store(directory.path(), kBleu);
    save(store, 1, {{"bleu", 5.25}});
    save(store, 2, {{"bleu", std::nan("")}});
    save(store, 3, {});
  }
  const CheckpointStore store(directory.path(), kBleu);
  EXPECT_EQ(store.best()->update, 1);
  EXPECT_EQ(store.best()->scores.at("bleu"), 5.25);
  EXPECT_EQ(store.latest()->update, 3);
  EXPECT_EQ(stored_policy(*store.latest()).metric, "bleu");
  EXPECT_TRUE(stored_policy(*store.latest()).higher_is_better);
}

TEST(CheckpointStore, LowerIsBetterAndTheEarlierOfEquals) {
  const TestDirectory directory;
  CheckpointStore store(directory.path(), {.keep_last = 9, .keep_best = 1});
  for (const auto& [update, loss] : std::map<int64_t, double>{{1, 3}, {2, 2}, {3, 2}, {4, 4}}) {
    save(store, update, {{"valid_loss", loss}});
  }
  EXPECT_THAT(updates_of(store.best_n(3)), ElementsAre(2, 3, 1));
}

TEST(CheckpointStore, PassesOverDamagedCheckpoints) {
  const TestDirectory directory;
  {
    CheckpointStore store(directory.path(), {.keep_last = 5, .keep_best = 1});
    for (int64_t update = 1; update <= 5; ++update) save(store, update, {});
  }
  const auto file = [&](int update, const std::string& name) {
    return directory / ("checkpoints/update-0000000" + std::to_string(update) + "/" + name);
  };
  write_text(file(5, "model.safetensors"), "weights 6");
  fs::resize_file(file(4, "model.safetensors"), 3);
  fs::remove(file(3, "checkpoint.json"));
  write_text(file(2, "manifest.json"), "{");
  CheckpointStore store(directory.path(), {.keep_last = 5, .keep_best = 1});
  EXPECT_EQ(store.latest()->update, 1);
  EXPECT_EQ(fs::read_symlink(directory / "last"), "checkpoints/update-00000001");
  save(store, 4, {});  // the resumed run arrives there again
  EXPECT_EQ(store.latest()->update, 4);
  EXPECT_THAT(updates_of(whole_checkpoints(directory.path())), ElementsAre(1, 4));
}

// Bytes that this process has read.
int64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string name;
  int64_t bytes = 0;
  file >> name >> bytes;
  EXPECT_EQ(name, "rchar:");
  return bytes;
}

TEST(CheckpointStore, AnUnchangedCheckpointIsReadOnce) {
  constexpr int64_t kBytes = 4 << 20;
  const TestDirectory directory;
  {
    CheckpointStore store(directory.path(), {});
    store.save(1, {}, [&](const fs::path& files) {
      write_text(files / "model.safetensors", std::string(kBytes, 'x'));
    });
  }
  EXPECT_TRUE(newest_checkpoint(directory.path()));
  const int64_t before = bytes_read();
  EXPECT_TRUE(newest_checkpoint(directory.path()));
  EXPECT_EQ(CheckpointStore(directory.path(), {}).latest()->update, 1);
  EXPECT_LT(bytes_read() - before, kBytes / 2);
  write_text(directory / "checkpoints/update-00000001/model.safetensors", std::string(kBytes, 'y'));
  EXPECT_THROW(newest_checkpoint(directory.path()), CheckpointError);
}

TEST(CheckpointStore, ARunWithOnlyDamagedCheckpointsIsNotTakenForANewOne) {
  const TestDirectory directory;
  EXPECT_FALSE(newest_checkpoint(directory.path()));
  {
    CheckpointStore store(directory.path(), {.keep_last = 2, .keep_best = 1});
    save(store, 1, {});
    save(store, 2, {});
  }
  write_text(directory / "checkpoints/update-00000002/model.safetensors", "weights 3");
  EXPECT_EQ(newest_checkpoint(directory.path())->update, 1);
  fs::remove(directory / "checkpoints/update-00000001/manifest.json");
  try {
    newest_checkpoint(directory.path());
    FAIL() << "no error";
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("--resume never"),
                                    HasSubstr("update-00000001/manifest.json is missing"),
                                    HasSubstr("update-00000002/model.safetensors differs")));
  }
  EXPECT_TRUE(fs::exists(directory / "checkpoints/update-00000002"));
  EXPECT_TRUE(fs::is_symlink(directory / "last"));
}

TEST(CheckpointStore, NamesTheFieldOfARecordThatIsWrong) {
  const TestDirectory directory;
  {
    CheckpointStore store(directory.path(), {.keep_last = 1, .keep_best = 1});
    save(store, 1, {});
  }
  const fs::path checkpoint = directory / "checkpoints/update-00000001";
  const std::string record = (checkpoint / "checkpoint.json").string();
  write_text(record, R"({"scores": {}})");
  EXPECT_EQ(error_of([&] {
              stored_policy({checkpoint, 1, {}});
            }),
            record + ": keep_last is missing");
  write_text(record, R"({"keep_last": "2"})");
  EXPECT_EQ(error_of([&] {
              stored_policy({checkpoint, 1, {}});
            }),
            record + ": keep_last is \"2\"; it must be a whole number");
  AtomicDirectory files(checkpoint);  // with a manifest of the record that lacks its update
  write_text(files.path() / "checkpoint.json", R"({"scores": {}})");
  fs::remove_all(checkpoint);
  files.commit();
  EXPECT_THAT(error_of([&] { newest_checkpoint(directory.path()); }),
              HasSubstr("\n  " + record + ": update is missing"));
}

TEST(CheckpointStore, RemovesLeftovers) {
  const TestDirectory directory;
  {
    CheckpointStore store(directory.path(), kBleu);
    save(store, 1, {});
    save(store, 2, {});
  }
  const fs::path folder = directory / "checkpoints";
  fs::create_directories(folder / "update-00000003.dietmt-tmp123");
  write_text(folder / "update-00000003.dietmt-tmp123/model.safetensors", "half");
  fs::create_directories(folder / "update-00000000.removed");
  fs::create_symlink("nowhere", directory / "best.dietmt-tmp77");
  write_text(directory / "report.html.dietmt-tmp123", "half");
  const fs::path own[] = {directory / "notes.tmp",         directory / "notes.tmp1",
                          folder / "update-00000001-keep", folder / "update-00000002.bak",
                          folder / "update-.dietmt-tmp1",  folder / "notes.tmp1"};
  for (const fs::path& path : own) write_text(path, "the user's own");
  const CheckpointStore store(directory.path(), kBleu);
  EXPECT_EQ(store.latest()->update, 2);
  EXPECT_FALSE(fs::exists(folder / "update-00000003.dietmt-tmp123"));
  EXPECT_FALSE(fs::exists(folder / "update-00000000.removed"));
  EXPECT_FALSE(fs::exists(fs::symlink_status(directory / "best.dietmt-tmp77")));
  EXPECT_FALSE(fs::exists(directory / "report.html.dietmt-tmp123"));
  for (const fs::path& path : own) EXPECT_TRUE(fs::exists(path)) << path;
}

// Scores up to update 2 are higher, but not comparable.
TEST(CheckpointStore, ScoresOfAnotherKindDoNotCompete) {
  const TestDirectory directory;
  {
    CheckpointStore store(directory.path(), {1, 1, "bleu", true});
    save(store, 1, {{"bleu", 90}});
    save(store, 2, {{"bleu", 80}});
  }
  CheckpointStore store(directory.path(), {1, 1, "bleu", true});
  store.compare_scores_after(2);
  save(store, 3, {});
  EXPECT_EQ(store.best()->update, 1);  // as long as there is no other score
  save(store, 4, {{"bleu", 20}});
  save(store, 5, {{"bleu", 10}});
  EXPECT_THAT(updates_of(whole_checkpoints(directory.path())), ElementsAre(4, 5));
  EXPECT_EQ(fs::read_symlink(directory / "best"), "checkpoints/update-00000004");
  EXPECT_EQ(stored_policy(*store.latest()).scores_after, 2);
}

TEST(CheckpointStore, ClearRemovesEverythingButTheUsersCopies) {
  const TestDirectory directory;
  CheckpointStore store(directory.path(), kBleu);
  save(store, 1, {{"bleu", 1}});
  const fs::path copy = directory / "checkpoints/update-00000001-keep";
  fs::create_directory(copy);
  store.clear();
  EXPECT_TRUE(fs::exists(copy));
  EXPECT_FALSE(store.latest());
  EXPECT_FALSE(fs::exists(fs::symlink_status(directory / "best")));
  EXPECT_TRUE(whole_checkpoints(directory.path()).empty());
}

TEST(CheckpointStore, FullDiskLeavesEarlierCheckpoints) {
  const TestDirectory directory;
  CheckpointStore store(directory.path(), kBleu);
  const std::vector<float> weights(30'000, 2.0F);
  const auto write = [&](const fs::path& path) { save_weights(path, weights); };
  store.save(1, {}, write);
  {
    const FileSizeLimit limit(50'000);
    EXPECT_THAT(message_of<CheckpointError>([&] { store.save(2, {}, write); }),
                ::testing::AllOf(HasSubstr("update 2 could not be saved"),
                                 HasSubstr("model.safetensors"), HasSubstr("File too large")));
  }
  EXPECT_EQ(store.latest()->update, 1);
  EXPECT_EQ(load_weights(directory / "last"), weights);
  EXPECT_FALSE(fs::exists(directory / "checkpoints/update-00000002"));
  store.save(2, {}, write);
  EXPECT_EQ(store.latest()->update, 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory / "checkpoints"), {}), 2);
}

// Saves checkpoints until it is killed, and reports each finished one through `pipe`.
[[noreturn]] void save_until_killed(const fs::path& output, int pipe, std::vector<float> weights) {
  CheckpointStore store(output, kBleu);
  for (int64_t update = store.latest() ? store.latest()->update + 1 : 1;; ++update) {
    store.save(update, {{"bleu", static_cast<double>(update % 7)}}, [&](const fs::path& path) {
      std::ranges::fill(weights, static_cast<float>(update));
      save_weights(path, weights);
      write_text(path / "config.json", "{}");
    });
    if (::write(pipe, &update, sizeof update) != sizeof update) ::_exit(1);
  }
}

TEST(CheckpointStore, AKilledWriterLeavesWholeCheckpoints) {
  const TestDirectory directory;
  const std::vector<float> weights(300'000);
  Random random(7);
  int64_t confirmed = 0;
  for (int round = 0; round < 25; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) save_until_killed(directory.path(), ends[1], weights);
    ::close(ends[1]);
    // After one more finished save, at some moment during the next ones.
    int64_t update = 0;
    if (::read(ends[0], &update, sizeof update) == sizeof update) confirmed = update;
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(20'000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &update, sizeof update) == sizeof update) confirmed = update;
    ::close(ends[0]);

    const CheckpointStore store(directory.path(), kBleu);
    ASSERT_TRUE(store.latest());
    EXPECT_GE(store.latest()->update, confirmed);
    EXPECT_EQ(load_weights(directory / "last"),
              std::vector<float>(weights.size(), static_cast<float>(store.latest()->update)));
    const auto entries = std::distance(fs::directory_iterator(directory / "checkpoints"), {});
    EXPECT_LE(entries, 5);
    EXPECT_EQ(entries, std::ssize(whole_checkpoints(directory.path())));
  }
  EXPECT_GE(confirmed, 25);
}

TEST(ResolveModelDirectory, FindsTheBestOfATrainingDirectory) {
  const TestDirectory directory;
  {
    CheckpointStore store(directory.path(), kBleu);
    save(store, 1, {{"bleu", 9}});
    save(store, 2, {{"bleu", 3}});
  }
  EXPECT_EQ(resolve_model_directory(directory.path()), directory / "best");
  fs::remove(directory / "best");
  fs::remove(directory / "last");
  const fs::path best = directory / "checkpoints/update-00000001";
  EXPECT_EQ(resolve_model_directory(directory.path()), best);
  EXPECT_EQ(resolve_model_directory(best), best);
  EXPECT_THROW(resolve_model_directory(directory / "checkpoints"), CheckpointError);
  EXPECT_THROW(resolve_model_directory(directory / "nowhere"), CheckpointError);
}

}  // namespace
}  // namespace dietmt::storage
