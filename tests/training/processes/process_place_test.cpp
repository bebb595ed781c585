#include "training/processes/process_place.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"

namespace dietmt::training {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Environment = std::map<std::string, std::string>;

ProcessPlace place_in(const Environment& environment) {
  return process_place([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

Environment with(Environment all, const Environment& more) {
  for (const auto& [name, value] : more) all[name] = value;
  return all;
}

const Environment kTorchrun = {{"RANK", "5"},
                               {"WORLD_SIZE", "8"},
                               {"LOCAL_RANK", "1"},
                               {"LOCAL_WORLD_SIZE", "4"},
                               {"MASTER_ADDR", "node1"},
                               {"MASTER_PORT", "29500"}};
const Environment kMaster = {{"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}};

TEST(ProcessPlace, IsAloneWithoutALauncher) {
  EXPECT_EQ(place_in({}).processes, 1);
  EXPECT_EQ(place_in(kMaster).processes, 1);
  EXPECT_EQ(place_in({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).processes, 1);
}

TEST(ProcessPlace, ReadsTheStandardVariables) {
  const ProcessPlace place = place_in(kTorchrun);
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.processes, 8);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_processes, 4);
  EXPECT_EQ(place.address, "node1");
  EXPECT_EQ(place.port, 29500);
  EXPECT_FALSE(place.launcher_keeps_store);
  const ProcessPlace elastic = place_in(with(
      kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}, {"TORCHELASTIC_RESTART_COUNT", "2"}}));
  EXPECT_TRUE(elastic.launcher_keeps_store);
  EXPECT_EQ(elastic.attempt, "2");
}

TEST(ProcessPlace, ReadsThoseOfSlurmAndOpenMpi) {
  const ProcessPlace slurm = place_in(with(kMaster, {{"SLURM_JOB_ID", "7"},
                                                     {"SLURM_STEP_ID", "0"},
                                                     {"SLURM_PROCID", "3"},
                                                     {"SLURM_NTASKS", "4"},
                                                     {"SLURM_LOCALID", "1"}}));
  EXPECT_EQ(slurm.rank, 3);
  EXPECT_EQ(slurm.processes, 4);
  EXPECT_EQ(slurm.local_rank, 1);
  const ProcessPlace mpi = place_in(with(kMaster, {{"OMPI_COMM_WORLD_RANK", "1"},
                                                   {"OMPI_COMM_WORLD_SIZE", "2"},
                                                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}));
  EXPECT_EQ(mpi.rank, 1);
  EXPECT_EQ(mpi.processes, 2);
  EXPECT_EQ(mpi.local_processes, 2);
}

TEST(ProcessPlace, TheStandardVariablesComeFirst) {
  const ProcessPlace place =
      place_in(with(kTorchrun, {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}));
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.processes, 8);
}

TEST(ProcessPlace, MpirunInsideOfATaskOfSlurmComesFirst) {
  const ProcessPlace place = place_in(with(kMaster, {{"SLURM_JOB_ID", "7"},
                                                     {"SLURM_STEP_ID", "0"},
                                                     {"SLURM_PROCID", "0"},
                                                     {"SLURM_NTASKS", "1"},
                                                     {"OMPI_COMM_WORLD_RANK", "1"},
                                                     {"OMPI_COMM_WORLD_SIZE", "2"}}));
  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.processes, 2);
}

TEST(ProcessPlace, ABatchScriptOfSlurmIsOneProcess) {
  EXPECT_EQ(
      place_in({{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}).processes, 1);
}

TEST(ProcessPlace, NamesTheVariableThatIsMissing) {
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    Environment environment = kTorchrun;
    environment.erase(name);
    EXPECT_THAT([&] { place_in(environment); },
                ThrowsMessage<ConfigError>(HasSubstr(std::string(name) + " is not set")))
        << name;
    environment[name] = "";
    EXPECT_THAT([&] { place_in(environment); },
                ThrowsMessage<ConfigError>(HasSubstr(std::string(name) + " is not set")))
        << name;
  }
  EXPECT_EQ(
      place_in(
          {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}})
          .local_rank,
      std::nullopt);
}

TEST(ProcessPlace, NamesTheVariableThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"RANK", "8"},         {"RANK", "-1"},           {"WORLD_SIZE", "0"},
      {"WORLD_SIZE", "two"}, {"MASTER_PORT", "70000"}, {"LOCAL_RANK", "1x"}};
  for (const auto& [name, value] : wrong) {
    EXPECT_THAT(
        [&] {
          place_in(with(kTorchrun, {{name, value}}));
        },
        ThrowsMessage<ConfigError>(HasSubstr(name + " is ")))
        << name << "=" << value;
  }
}

}  // namespace
}  // namespace dietmt::training
