#include "training/processes/handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dietmt::training {
namespace {

std::vector<Handshake> four_ranks() {
  return {{"dietmt 1", "a", "cuda:0", "", ""},
          {"dietmt 1", "a", "cuda:1", "", ""},
          {"dietmt 1", "b", "cuda:0", "", ""},
          {"dietmt 1", "b", "cuda:1", "", ""}};
}

TEST(Handshake, SurvivesItsText) {
  const Handshake found =
      handshake_from(handshake_text({"dietmt 1", "a", "cuda:0", "GPU-7", "no \"GPU\"\n"}));
  EXPECT_EQ(found.program, "dietmt 1");
  EXPECT_EQ(found.machine, "a");
  EXPECT_EQ(found.device, "cuda:0");
  EXPECT_EQ(found.identity, "GPU-7");
  EXPECT_EQ(found.problem, "no \"GPU\"\n");
}

TEST(HandshakeProblem, EqualProcessesHaveNone) {
  EXPECT_EQ(handshake_problem(four_ranks()), "");
  EXPECT_EQ(handshake_problem({{"dietmt 1", "a", "cpu", "", ""}, {"dietmt 1", "a", "cpu", "", ""}}),
            "");
}

TEST(HandshakeProblem, AcceptsProcessesThatSeeOnlyTheirOwnGpu) {
  EXPECT_EQ(handshake_problem({{"dietmt 1", "a", "cuda:0", "GPU-1", ""},
                               {"dietmt 1", "a", "cuda:0", "GPU-2", ""}}),
            "");
}

TEST(HandshakeProblem, NamesTheRankAndItsProblem) {
  auto ranks = four_ranks();
  ranks[2].problem = "--device cuda: LibTorch sees 0 GPUs";
  EXPECT_EQ(handshake_problem(ranks),
            "rank 2 on b cannot train: --device cuda: LibTorch sees 0 GPUs");
  ranks = four_ranks();
  ranks[3].program = "dietmt 2";
  EXPECT_EQ(handshake_problem(ranks),
            "rank 3 on b runs dietmt 2, but rank 0 runs dietmt 1: install the same version on all "
            "machines");
  ranks = four_ranks();
  ranks[1].device = "cpu";
  EXPECT_EQ(handshake_problem(ranks),
            "rank 1 on a trains on cpu, but rank 0 on cuda:0: give all processes the same "
            "--device");
}

TEST(HandshakeProblem, RefusesTwoRanksOnOneGpu) {
  auto ranks = four_ranks();
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[rank].identity = "GPU-" + std::to_string(rank);
  EXPECT_EQ(handshake_problem(ranks), "");
  ranks[3].identity = "GPU-1";
  EXPECT_EQ(handshake_problem(ranks),
            "rank 3 on b and rank 1 would share one GPU (GPU-1, here cuda:1): start as many "
            "processes on a machine as it has GPUs, each with its own LOCAL_RANK");
}

}  // namespace
}  // namespace dietmt::training
